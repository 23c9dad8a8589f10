package chunk

var sqlSpec = spec{
	defs: map[string]definition{
		"create_table":             {kind: "struct", name: ".object_reference"},
		"create_view":              {kind: "struct", name: ".object_reference"},
		"create_materialized_view": {kind: "struct", name: ".object_reference"},
		"create_function":          {kind: "function", name: ".object_reference"},
		"create_trigger":           {kind: "function", name: ".object_reference"},
		"create_type":              {kind: "type", name: ".object_reference"},
		"create_index":             {kind: "key", name: "column"},
		"create_schema":            {kind: "module", name: ".identifier"},
		"create_sequence":          {kind: "var", name: ".object_reference"},
	},
	names:    []string{"identifier"},
	toward:   map[string]string{"object_reference": "name"},
	calls:    map[string]string{"object_reference": "name"},
	comments: []string{"comment", "marginalia"},
}
