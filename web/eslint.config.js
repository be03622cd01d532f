import tseslint from "typescript-eslint";
import { literalTexts } from "./desktop/scripts/literal-texts.mjs";

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", "**/.test-*/", "client/src/wire.ts"] },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ["**/*.ts", "**/*.tsx"] })),
  {
    files: ["**/*.ts", "**/*.tsx"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      // `() => call()` is fine, whether or not it returns a value.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // There are no enums here, and looking for them takes a seventh of the time.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-comparison": "off",
      // The compiler requires brackets for undeclared fields.
      "@typescript-eslint/dot-notation": "off",
    },
  },
  {
    files: ["desktop/**"],
    rules: {
      // A component reads a signal only to subscribe to it.
      "@typescript-eslint/no-meaningless-void-operator": "off",
    },
  },
  {
    files: ["desktop/src/**"],
    // The catalogues themselves, and the worker, which cannot share them.
    ignores: ["desktop/src/languages/**", "desktop/src/worker/**"],
    plugins: { page: { rules: { "literal-texts": literalTexts } } },
    rules: { "page/literal-texts": "error" },
  },
  {
    files: ["client/test/**", "desktop/test/**", "desktop/e2e/**"],
    rules: {
      // The test runner awaits its tests by itself.
      "@typescript-eslint/no-floating-promises": "off",
      "@typescript-eslint/no-misused-promises": "off",
    },
  },
);
