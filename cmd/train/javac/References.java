import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.tools.ToolProvider;

/**
 * A language server that answers textDocument/references and textDocument/implementation for the
 * Java files below its working directory with what javac finds; what these import from elsewhere
 * stays unknown. A call of what a method overrides, or of what overrides it, has the mark "maybe": which
 * one runs is not known before. For go run ./cmd/train references: java cmd/train/javac/References.java.
 */
class References {
  /** A name in a file: lines and columns from 0. */
  record Place(String uri, int line, int column, int endLine, int endColumn) {}

  /** A use of an element. */
  record Use(Element of, Place at) {}

  private final List<Use> uses = new ArrayList<>();
  private final Map<Place, Element> declared = new HashMap<>();
  private JavacTask task;

  public static void main(String[] args) throws Exception {
    var server = new References();
    server.read(Path.of("").toAbsolutePath());
    server.serve(System.in);
  }

  /** Has javac read all files, as far as it can. */
  private void read(Path root) throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var files = compiler.getStandardFileManager(null, null, null);
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(root)) {
      paths = walk.filter(p -> p.toString().endsWith(".java")
          && !Set.of("module-info.java", "package-info.java").contains(p.getFileName().toString())).toList();
    }
    task = (JavacTask) compiler.getTask(null, files, problem -> {}, List.of("-proc:none", "-XDshould-stop.ifError=FLOW"), null,
        files.getJavaFileObjectsFromPaths(paths));
    var units = new ArrayList<CompilationUnitTree>();
    task.parse().forEach(units::add);
    task.analyze();
    var trees = Trees.instance(task);
    for (CompilationUnitTree unit : units) {
      new Names(unit, trees).scan(unit, null);
    }
  }

  /** Notes what the names of a file are. */
  private class Names extends TreePathScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final Trees trees;
    private final SourcePositions positions;
    private final String text;

    Names(CompilationUnitTree unit, Trees trees) throws IOException {
      this.unit = unit;
      this.trees = trees;
      this.positions = trees.getSourcePositions();
      this.text = unit.getSourceFile().getCharContent(true).toString();
    }

    private Place place(long start, long end) {
      var lines = unit.getLineMap();
      return new Place(unit.getSourceFile().toUri().toString().replaceFirst("^file:/(?!/)", "file:///"), line(lines.getLineNumber(start)),
          column(start), line(lines.getLineNumber(end)), column(end));
    }

    private int line(long fromOne) {
      return (int) fromOne - 1;
    }

    private int column(long at) { // a tab is one character
      return (int) at - (text.lastIndexOf('\n', (int) at - 1) + 1);
    }

    private void use(Element of, long end, int length) {
      if (of != null && end > length && !text.startsWith("super", (int) end - length) && !text.startsWith("this", (int) end - length)) {
        uses.add(new Use(of, place(end - length, end)));
      }
    }

    private void declare(Tree tree, String name) {
      Element e = trees.getElement(getCurrentPath());
      long from = positions.getStartPosition(unit, tree);
      if (e == null || from < 0) {
        return;
      }
      Matcher m = Pattern.compile("\\b" + Pattern.quote(name) + "\\b").matcher(text);
      if (m.find((int) from)) {
        declared.put(place(m.start(), m.end()), e);
      }
    }

    @Override public Void visitIdentifier(IdentifierTree tree, Void none) {
      use(trees.getElement(getCurrentPath()), positions.getEndPosition(unit, tree), tree.getName().length());
      return super.visitIdentifier(tree, none);
    }

    @Override public Void visitMemberSelect(MemberSelectTree tree, Void none) {
      use(trees.getElement(getCurrentPath()), positions.getEndPosition(unit, tree), tree.getIdentifier().length());
      return super.visitMemberSelect(tree, none);
    }

    @Override public Void visitMemberReference(MemberReferenceTree tree, Void none) {
      use(trees.getElement(getCurrentPath()), positions.getEndPosition(unit, tree), tree.getName().length());
      return super.visitMemberReference(tree, none);
    }

    @Override public Void visitNewClass(NewClassTree tree, Void none) {
      Element e = trees.getElement(getCurrentPath());
      Tree type = tree.getIdentifier();
      while (type instanceof com.sun.source.tree.ParameterizedTypeTree p) {
        type = p.getType();
      }
      String name = type.toString();
      use(e, positions.getEndPosition(unit, type), name.length() - name.lastIndexOf('.') - 1);
      return super.visitNewClass(tree, none);
    }

    @Override public Void visitClass(ClassTree tree, Void none) {
      if (tree.getSimpleName().length() > 0) {
        declare(tree, tree.getSimpleName().toString());
      }
      return super.visitClass(tree, none);
    }

    @Override public Void visitMethod(MethodTree tree, Void none) {
      Element e = trees.getElement(getCurrentPath());
      if (positions.getEndPosition(unit, tree) < 0) { // a constructor that is not written
        return super.visitMethod(tree, none);
      }
      String name = tree.getName().toString();
      if (name.equals("<init>") && e != null) {
        name = e.getEnclosingElement().getSimpleName().toString();
      }
      declare(tree, name);
      return super.visitMethod(tree, none);
    }
  }

  /** Returns whether a call of one element may run another. */
  private boolean means(Element used, Element asked) {
    if (used.equals(asked)) {
      return true;
    }
    if (!(used instanceof ExecutableElement a) || !(asked instanceof ExecutableElement b) || used.getKind() != ElementKind.METHOD) {
      return false;
    }
    return overrides(b, a) || overrides(a, b);
  }

  private boolean overrides(ExecutableElement low, ExecutableElement high) {
    return low.getSimpleName().equals(high.getSimpleName())
        && task.getElements().overrides(low, high, (TypeElement) low.getEnclosingElement());
  }

  private List<Use> references(Element asked) {
    return uses.stream().filter(u -> means(u.of(), asked)).toList();
  }

  private List<Use> implementations(Element asked) {
    if (!(asked instanceof TypeElement)) {
      return List.of();
    }
    return declared.entrySet().stream().filter(d -> d.getValue() instanceof TypeElement t && !t.equals(asked) && isBelow(t, asked))
        .map(d -> new Use(asked, d.getKey())).toList();
  }

  /** Returns whether a type inherits another; javac takes what is unknown to be below everything. */
  private boolean isBelow(TypeElement type, Element asked) {
    return task.getTypes().directSupertypes(type.asType()).stream().filter(s -> s.getKind() == TypeKind.DECLARED)
        .map(s -> (TypeElement) ((DeclaredType) s).asElement()).anyMatch(s -> s.equals(asked) || isBelow(s, asked));
  }

  private static final Pattern LENGTH = Pattern.compile("Content-Length: (\\d+)");
  private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
  private static final Pattern METHOD = Pattern.compile("\"method\":\"([^\"]*)\"");
  private static final Pattern URI = Pattern.compile("\"uri\":\"([^\"]*)\"");
  private static final Pattern POSITION = Pattern.compile("\"position\":\\{\"line\":(\\d+),\"character\":(\\d+)\\}");

  /** Answers requests until the input ends. They are of one form, which patterns read. */
  private void serve(InputStream in) throws IOException {
    for (String message = next(in); message != null; message = next(in)) {
      String id = first(ID, message);
      if (id == null) {
        continue;
      }
      String method = first(METHOD, message);
      var found = new ArrayList<String>();
      Matcher at = POSITION.matcher(message);
      if (at.find()) {
        String uri = first(URI, message);
        int line = Integer.parseInt(at.group(1)), column = Integer.parseInt(at.group(2));
        declared.forEach((p, e) -> {
          if (p.uri().equals(uri) && p.line() == line && p.column() == column) {
            for (Use use : method.endsWith("references") ? references(e) : implementations(e)) {
              Place r = use.at();
              found.add(String.format("{\"maybe\":%b,\"uri\":\"%s\",\"range\":{\"start\":{\"line\":%d,\"character\":%d},\"end\":{\"line\":%d,\"character\":%d}}}",
                  !use.of().equals(e), r.uri(), r.line(), r.column(), r.endLine(), r.endColumn()));
            }
          }
        });
      }
      String result = method.equals("initialize") ? "{\"capabilities\":{}}" : "[" + String.join(",", found) + "]";
      byte[] body = ("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}").getBytes(StandardCharsets.UTF_8);
      System.out.write(("Content-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      System.out.write(body);
      System.out.flush();
    }
  }

  private static String first(Pattern pattern, String text) {
    Matcher m = pattern.matcher(text);
    return m.find() ? m.group(1) : null;
  }

  /** Returns the next message, null at the end. */
  private static String next(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        return null;
      }
      head.append((char) b);
    }
    Matcher m = LENGTH.matcher(head);
    return m.find() ? new String(in.readNBytes(Integer.parseInt(m.group(1))), StandardCharsets.UTF_8) : null;
  }
}
