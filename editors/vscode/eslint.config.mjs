import js from "@eslint/js";
import ts from "typescript-eslint";

export default ts.config(js.configs.recommended, ...ts.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { project: ["./tsconfig.json"], tsconfigRootDir: import.meta.dirname } },
  rules: { "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }] },
});
