package chunk

import (
	"slices"
	"strings"
)

// constantNames are node types and token texts of predefined values.
var constantNames = strings.Fields("true false nil null none NULL undefined iota boolean bool bool_lit boolean_literal null_lit null_literal " +
	"boolean_scalar null_scalar atom quoted_atom simple_symbol delimited_symbol bare_symbol symbol_literal id_name entity unit_expression " +
	"keyword_true keyword_false keyword_null html_character_reference")

// exactKinds are the kinds of node types that must match as a whole.
var exactKinds = kindsOf(map[nodeKind]string{
	kindConstant: strings.Join(constantNames, " "),
	kindWord: "this super self crate this_expression super_expression self_expression mutable_specifier at_keyword important preproc_directive " +
		"from to php_tag",
	kindOperator: "test_operator operator_identifier custom_operator bang",
	kindComment:  "shebang shebang_line shebang_directive hash_bang_line",
	kindString: "character char character_literal char_literal rune_literal heredoc heredoc_body heredoc_content heredoc_block regex regex_literal charlist " +
		"sigil quoted_content quoted_template heredoc_template nowdoc string_scalar double_quote_scalar single_quote_scalar block_scalar attribute_value " +
		"quoted_attribute_value template_literal",
	kindCode: "interpolation template_substitution command_substitution process_substitution expansion simple_expansion arithmetic_expansion " +
		"interpolated_expression interpolated_identifier raw_str_interpolation string_interpolation template_interpolation template_directive",
	kindNumber: "number integer float decimal_lit octal_lit hex_lit float_lit int_lit numeric_lit complex rational color_value file_descriptor " +
		"offset_date_time local_date_time local_date local_time unsigned_literal long_literal real_literal ",
	kindType: "type_identifier primitive_type predefined_type builtin_type void_type integral_type floating_point_type boolean_type sized_type_specifier " +
		"class_name message_name enum_name service_name message_or_enum_type key_type error_type bottom_type cast_type implicit_type " +
		"lifetime alias",
	kindTypes: "type type_annotation named_type user_type generic_type generic_name nullable_type base_list type_argument_list type_arguments superclass " +
		"super_interfaces optional_type union_type type_list base_clause class_interface_clause catch_type type_parameter inheritance_specifier array_type " +
		"qualified_type class_heritage constructor_suffix extends_clause object_creation_expression new_expression slice_type pointer_type error_union_type " +
		"type_parameters",
	kindName: "identifier simple_identifier name field_identifier property_identifier private_property_identifier shorthand_property_identifier " +
		"shorthand_property_identifier_pattern shorthand_field_identifier full_ident package_identifier",
	kindVariable: "variable_name special_variable_name instance_variable class_variable global_variable metavariable dynamic_variable_name variable",
	kindProperty: "field_identifier property_identifier private_property_identifier shorthand_property_identifier shorthand_property_identifier_pattern " +
		"shorthand_field_identifier property_name hash_key_symbol bare_key quoted_key feature_name quoted_keyword keyword",
	kindTag: "tag_name erroneous_end_tag_name doctype nesting_selector universal_selector",
	kindAttribute: "attribute_name annotation marker_annotation decorator attribute_item inner_attribute_item attribute_list attribute_group " +
		"attribute_specifier ms_declspec_modifier file_annotation anchor alias_name tag",
	kindFunction: "function_name command_name builtin_identifier rpc_name",
	kindMember: "member_expression attribute field_expression selector_expression navigation_suffix navigation_expression member_access_expression dot " +
		"field_access scoped_identifier qualified_identifier member_binding_expression generic_name generic_function template_function field_designator " +
		"get_attr nullsafe_member_access_expression ",
	kindAccess: "member_expression attribute field_expression selector_expression navigation_suffix navigation_expression member_access_expression " +
		"nullsafe_member_access_expression field_access",
	kindSuffix:          "get_attr navigation_suffix member_binding_expression",
	kindElement:         "jsx_opening_element jsx_closing_element jsx_self_closing_element",
	kindDefinesProperty: "property_declaration jsx_attribute field_declaration",
	kindDefinesConstant: "enum_assignment enum_constant enum_member_declaration enum_entry enum_variant enum_case enumerator enum_field simple_enum_case " +
		"full_enum_case enum_body",
	kindPair: "pair block_mapping_pair flow_pair object_elem field_initializer keyword_argument element_value_pair label_pair env_pair ",
	kindCall: "new_expression method_invocation macro_invocation invocation_expression call function_call call_expression " +
		"function_call_expression member_call_expression nullsafe_member_call_expression scoped_call_expression constructor_expression invocation " +
		"constructor_invocation builtin_function",
})

func kindsOf(lists map[nodeKind]string) map[string]nodeKind {
	out := map[string]nodeKind{}
	for kind, names := range lists {
		for _, name := range strings.Fields(names) {
			out[name] |= kind
		}
	}
	return out
}

// ownKinds overrides exactKinds for languages in which a type's name has another meaning; 0 means
// no kind.
var ownKinds = map[string]map[string]nodeKind{
	"elixir":   {"alias": kindType, "call": kindCall, "dot": kindMember},
	"hcl":      {"attribute": kindPair, "block": kindHead},
	"lua":      {"field": kindPair, "function_call": kindCall},
	"protobuf": {"type": kindType, "constant": 0, "full_ident": 0, "field": 0, "bool": kindConstant},
	"ruby":     {"constant": kindName, "pair": kindPair, "alias": 0},
	"swift":    {"attribute": kindAttribute},
	"php":      {"attribute": 0, "name": kindName, "boolean": kindConstant},
	"csharp":   {"attribute": 0},
	"rust":     {"attribute": 0, "self": kindWord},
	"yaml":     {"tag": kindType, "alias": kindAttribute},
	"sql":      {"literal": kindLiteral, "object_reference": kindMember},
	"html":     {"attribute": 0, "text": 0},
	"css":      {"attribute_name": kindAttribute},
	"c":        {"attribute": 0},
	"dart":     {"argument_part": kindArguments, "unconditional_assignable_selector": kindSuffix, "conditional_assignable_selector": kindSuffix},
	"julia":    {"macro_identifier": kindFunction, "operator": kindOperator, "typed_expression": 0, "field_expression": kindMember | kindAccess},
	"r": {
		"call": kindCall, "namespace_operator": kindMember, "extract_operator": kindMember | kindAccess, "inf": kindNumber, "nan": kindNumber,
		"na": kindConstant,
	},
	"haskell": kindsOf(map[nodeKind]string{
		kindName: "variable", kindType: "name constructor module_id", kindOperator: "operator constructor_operator", kindCall: "apply",
		kindDefinesFunction: "signature function bind", kindProperty: "field_name", kindComment: "haddock", kindAttribute: "pragma cpp",
		0: "module class instance type_family data_type",
	}),
	"ocaml": kindsOf(map[nodeKind]string{
		kindName: "value_name", kindMember: "value_path", kindCall: "application_expression", kindProperty: "field_name label_name",
		kindType: "module_name module_type_name type_constructor constructor_name class_name class_type_name", kindFunction: "method_name",
		kindOperator: "rel_operator add_operator mult_operator pow_operator concat_operator and_operator or_operator assign_operator " +
			"prefix_operator sign_operator hash_operator let_operator let_and_operator",
	}),
	"cpp": {"attribute": 0},
}

// namedKind classifies a named node by its type.
func namedKind(language, name string) nodeKind {
	if kind, ok := ownKinds[language][name]; ok {
		return kind
	}
	if kind, ok := exactKinds[name]; ok {
		return kind
	}
	has := func(parts string) bool {
		return slices.ContainsFunc(strings.Fields(parts), func(part string) bool { return strings.Contains(name, part) })
	}
	ends := func(parts string) bool {
		return slices.ContainsFunc(strings.Fields(parts), func(part string) bool { return strings.HasSuffix(name, part) })
	}
	switch {
	case strings.HasPrefix(name, "keyword_") && language == "sql", ends("_keyword _modifier"):
		return kindWord
	case has("comment emmy_ documentation"):
		return kindComment
	case ends("_type _pattern _array"):
		return 0
	case name == "concatenated_string" || name == "string_argument" || name == "translated_string":
		return 0
	case has("string"):
		return kindString
	case ends("integer_literal integer_value float_value number_literal float_literal int_literal imaginary_literal floating_point_literal hex_literal " +
		"oct_literal bin_literal integer_scalar float_scalar"):
		return kindNumber
	case has("parameter body list call invocation reference modifier expression literal argument type_ static_decl"):
		return 0
	case has("function method constructor destructor init_declaration macro_definition macro_rule"):
		return kindDefinesFunction
	case has("class struct interface enum_ trait record union_ object_d protocol_ mod_item module alias type_spec type_item") && !ends("_case _entry _variant _member_declaration"):
		return kindDefinesType
	case name == "class" || name == "enum" || name == "message" || name == "type_definition":
		return kindDefinesType
	}
	return 0
}
