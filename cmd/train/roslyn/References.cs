using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

/// <summary>
/// A language server that answers textDocument/references and textDocument/implementation for the
/// C# files below its working directory with what Roslyn finds. All files are one compilation; what
/// they have from elsewhere than the given folder of libraries stays unknown. The mark "maybe" is on
/// a call of what a method overrides or implements, or of what does that to it; on a use whose owner
/// is of an unknown type, or that no configuration compiles; and on a part of a type without bases.
/// For go run ./cmd/train references: compile with mcs and the libraries of Roslyn, and run with
/// mono; the arguments are the folder of libraries, names for #if, and, after a
/// minus, those that only some of the projects define.
/// </summary>
class References {
  /// <summary>A name in a file: lines and columns from 0.</summary>
  struct Place {
    public string Path;
    public int Line, Column, EndLine, EndColumn;
  }

  /// <summary>A use of a symbol; Of is null for one that is not known.</summary>
  class Use {
    public ISymbol Of;
    public string Name;
    public Place At;
  }

  readonly List<Use> uses = new List<Use>();
  readonly List<KeyValuePair<Place, ISymbol>> declared = new List<KeyValuePair<Place, ISymbol>>();
  readonly List<Place> disabled = new List<Place>();
  readonly HashSet<Place> baseless = new HashSet<Place>();

  static void Main(string[] args) {
    var server = new References();
    var root = Directory.GetCurrentDirectory();
    var without = args.Where(a => a.StartsWith("-")).Select(a => a.Substring(1));
    server.Read(root, args[0], args.Skip(1).Where(a => !a.StartsWith("-")).Concat(Defined(root)).Except(without));
    server.Serve(Console.OpenStandardInput(), Console.OpenStandardOutput());
  }

  /// <summary>Returns what the first configuration of each project defines for #if.</summary>
  static IEnumerable<string> Defined(string root) {
    foreach (var file in Directory.EnumerateFiles(root, "*.csproj", SearchOption.AllDirectories)) {
      var m = Regex.Match(File.ReadAllText(file), "<DefineConstants>([^<]*)<");
      foreach (var name in m.Groups[1].Value.Split(new[] {';', ' ', ','}, StringSplitOptions.RemoveEmptyEntries)) {
        if (SyntaxFacts.IsValidIdentifier(name)) {
          yield return name;
        }
      }
    }
  }

  void Read(string root, string libraries, IEnumerable<string> names) {
    var options = new CSharpParseOptions(LanguageVersion.Latest, DocumentationMode.None, SourceCodeKind.Regular, names);
    var trees = Directory.EnumerateFiles(root, "*.cs", SearchOption.AllDirectories).OrderBy(p => p, StringComparer.Ordinal)
      .Select(p => CSharpSyntaxTree.ParseText(File.ReadAllText(p), options, p, Encoding.UTF8)).ToList();
    var known = Directory.EnumerateFiles(libraries, "*.dll", SearchOption.AllDirectories).Select(p => MetadataReference.CreateFromFile(p));
    var all = CSharpCompilation.Create("all", trees, known, new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
    foreach (var tree in trees) {
      var model = all.GetSemanticModel(tree);
      foreach (var node in tree.GetRoot().DescendantNodes()) {
        Declare(model, node);
        if (node is SimpleNameSyntax) {
          Note(model, (SimpleNameSyntax) node);
        }
      }
      foreach (var part in tree.GetRoot().DescendantTrivia().Where(t => t.IsKind(SyntaxKind.DisabledTextTrivia))) {
        foreach (Match m in Regex.Matches(part.ToString(), @"\b(?:class|struct|record|interface)\s+(\w+)")) {
          disabled.Add(PlaceOf(tree, new Microsoft.CodeAnalysis.Text.TextSpan(part.SpanStart + m.Groups[1].Index, m.Groups[1].Length)));
        }
        foreach (Match m in Regex.Matches(part.ToString(), @"\w+")) {
          uses.Add(new Use {Name = m.Value, At = PlaceOf(tree, new Microsoft.CodeAnalysis.Text.TextSpan(part.SpanStart + m.Index, m.Length))});
        }
      }
    }
  }

  static Place PlaceOf(SyntaxTree tree, Microsoft.CodeAnalysis.Text.TextSpan span) {
    var at = tree.GetLineSpan(span);
    return new Place {
      Path = tree.FilePath, Line = at.StartLinePosition.Line, Column = at.StartLinePosition.Character,
      EndLine = at.EndLinePosition.Line, EndColumn = at.EndLinePosition.Character,
    };
  }

  void Declare(SemanticModel model, SyntaxNode node) {
    SyntaxToken name;
    if (node is BaseTypeDeclarationSyntax) {
      name = ((BaseTypeDeclarationSyntax) node).Identifier;
    } else if (node is MethodDeclarationSyntax) {
      name = ((MethodDeclarationSyntax) node).Identifier;
    } else if (node is ConstructorDeclarationSyntax) {
      name = ((ConstructorDeclarationSyntax) node).Identifier;
    } else if (node is LocalFunctionStatementSyntax) {
      name = ((LocalFunctionStatementSyntax) node).Identifier;
    } else {
      return;
    }
    var symbol = model.GetDeclaredSymbol(node);
    var at = PlaceOf(node.SyntaxTree, name.Span);
    if (symbol != null) {
      declared.Add(new KeyValuePair<Place, ISymbol>(at, symbol));
    }
    var type = node as BaseTypeDeclarationSyntax;
    if (type != null && type.BaseList == null) {
      baseless.Add(at);
    }
  }

  /// <summary>Notes what a name is: of an object's creation its constructor.</summary>
  void Note(SemanticModel model, SimpleNameSyntax name) {
    SyntaxNode node = name;
    while (node.Parent is AliasQualifiedNameSyntax || node.Parent is QualifiedNameSyntax && ((QualifiedNameSyntax) node.Parent).Right == node) {
      node = node.Parent;
    }
    var made = node.Parent as ObjectCreationExpressionSyntax;
    var info = model.GetSymbolInfo(made != null && made.Type == node ? made : (SyntaxNode) name);
    var found = info.Symbol == null ? info.CandidateSymbols.ToList() : new List<ISymbol> {info.Symbol};
    var use = new Use {Name = name.Identifier.ValueText, At = PlaceOf(name.SyntaxTree, name.Identifier.Span)};
    if (found.Count == 0) {
      uses.Add(use);
    }
    foreach (var symbol in found) {
      uses.Add(new Use {Of = Origin(symbol), Name = use.Name, At = use.At});
    }
  }

  static ISymbol Origin(ISymbol s) {
    var m = s as IMethodSymbol;
    if (m != null) {
      m = m.ReducedFrom ?? m;
      return (m.PartialDefinitionPart ?? m).OriginalDefinition;
    }
    return s.OriginalDefinition;
  }

  /// <summary>Returns whether a call of one method may run another.</summary>
  static bool Means(ISymbol used, ISymbol asked) {
    var a = used as IMethodSymbol;
    var b = asked as IMethodSymbol;
    return a != null && b != null && (Replaces(b, a) || Replaces(a, b));
  }

  static bool Replaces(IMethodSymbol low, IMethodSymbol high) {
    for (var m = low.OverriddenMethod; m != null; m = m.OverriddenMethod) {
      if (m.OriginalDefinition.Equals(high) || Replaces(m.OriginalDefinition, high)) {
        return true;
      }
    }
    if (high.ContainingType == null || high.ContainingType.TypeKind != TypeKind.Interface) {
      return false;
    }
    return low.ContainingType.AllInterfaces.Where(i => i.OriginalDefinition.Equals(high.ContainingType))
      .SelectMany(i => i.GetMembers(high.Name).OfType<IMethodSymbol>())
      .Any(m => m.OriginalDefinition.Equals(high) && Implements(low, m));
  }

  static bool Implements(IMethodSymbol low, IMethodSymbol of) {
    var m = low.ContainingType.FindImplementationForInterfaceMember(of) as IMethodSymbol;
    for (; m != null; m = m.OverriddenMethod) {
      if (m.OriginalDefinition.Equals(low.OriginalDefinition)) {
        return true;
      }
    }
    return false;
  }

  IEnumerable<KeyValuePair<Place, bool>> Found(ISymbol asked) {
    asked = Origin(asked);
    var name = asked.Name == ".ctor" ? asked.ContainingType.Name : asked.Name;
    foreach (var u in uses.Where(u => u.Name == name)) {
      if (u.Of == null) {
        yield return new KeyValuePair<Place, bool>(u.At, true);
      } else if (u.Of.Equals(asked)) {
        yield return new KeyValuePair<Place, bool>(u.At, false);
      } else if (Means(u.Of, asked)) {
        yield return new KeyValuePair<Place, bool>(u.At, true);
      }
    }
  }

  IEnumerable<KeyValuePair<Place, bool>> Below(ISymbol asked) {
    return declared.Where(d => d.Value is INamedTypeSymbol && !d.Value.Equals(asked) && IsBelow((INamedTypeSymbol) d.Value, asked))
      .Select(d => new KeyValuePair<Place, bool>(d.Key, baseless.Contains(d.Key)))
      .Concat(disabled.Select(p => new KeyValuePair<Place, bool>(p, true)));
  }

  static bool IsBelow(INamedTypeSymbol type, ISymbol asked) {
    for (var b = type.BaseType; b != null; b = b.BaseType) {
      if (b.OriginalDefinition.Equals(asked)) {
        return true;
      }
    }
    return type.AllInterfaces.Any(i => i.OriginalDefinition.Equals(asked));
  }

  /// <summary>Answers requests until the input ends. They are of one form, which patterns read.</summary>
  void Serve(Stream input, Stream output) {
    for (var message = Next(input); message != null; message = Next(input)) {
      var id = Regex.Match(message, "\"id\":(\\d+)");
      if (!id.Success) {
        continue;
      }
      var method = Regex.Match(message, "\"method\":\"([^\"]*)\"").Groups[1].Value;
      var at = Regex.Match(message, "\"position\":\\{\"line\":(\\d+),\"character\":(\\d+)\\}");
      var found = new List<string>();
      var isKnown = !at.Success;
      if (at.Success) {
        var path = new Uri(Regex.Match(message, "\"uri\":\"([^\"]*)\"").Groups[1].Value).LocalPath;
        int line = int.Parse(at.Groups[1].Value), column = int.Parse(at.Groups[2].Value);
        foreach (var d in declared.Where(d => d.Key.Path == path && d.Key.Line == line && d.Key.Column == column)) {
          isKnown = true;
          foreach (var f in method.EndsWith("references") ? Found(d.Value) : Below(d.Value)) {
            var p = f.Key;
            found.Add(string.Format("{{\"maybe\":{0},\"uri\":\"{1}\",\"range\":{{\"start\":{{\"line\":{2},\"character\":{3}}},\"end\":{{\"line\":{4},\"character\":{5}}}}}}}",
              f.Value ? "true" : "false", new Uri(p.Path).AbsoluteUri, p.Line, p.Column, p.EndLine, p.EndColumn));
          }
        }
      }
      var result = "\"result\":" + (method == "initialize" ? "{\"capabilities\":{}}" : "[" + string.Join(",", found) + "]");
      if (!isKnown) {
        result = "\"error\":{\"code\":-32602,\"message\":\"no configuration compiles it\"}";
      }
      var body = Encoding.UTF8.GetBytes("{\"jsonrpc\":\"2.0\",\"id\":" + id.Groups[1].Value + "," + result + "}");
      var head = Encoding.ASCII.GetBytes("Content-Length: " + body.Length + "\r\n\r\n");
      output.Write(head, 0, head.Length);
      output.Write(body, 0, body.Length);
      output.Flush();
    }
  }

  /// <summary>Returns the next message, null at the end.</summary>
  static string Next(Stream input) {
    var head = new StringBuilder();
    while (!head.ToString().EndsWith("\r\n\r\n")) {
      int b = input.ReadByte();
      if (b < 0) {
        return null;
      }
      head.Append((char) b);
    }
    var body = new byte[int.Parse(Regex.Match(head.ToString(), "Content-Length: (\\d+)").Groups[1].Value)];
    for (int n = 0; n < body.Length;) {
      n += input.Read(body, n, body.Length - n);
    }
    return Encoding.UTF8.GetString(body);
  }
}
