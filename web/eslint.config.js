import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", "**/.test-*/", "client/src/wire.ts"] },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ["**/*.ts", "**/*.tsx"] })),
  {
    files: ["**/*.ts", "**/*.tsx"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      // `() => call()` is a call, whether or not it gives something back.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // The compiler wants the brackets where a field is not declared.
      "@typescript-eslint/dot-notation": "off",
    },
  },
  {
    files: ["desktop/**"],
    rules: {
      // A view reads a signal for its own sake: that is how it hears of changes.
      "@typescript-eslint/no-meaningless-void-operator": "off",
    },
  },
  {
    files: ["client/test/**", "desktop/test/**", "desktop/e2e/**"],
    rules: {
      // The test runner waits for its tests by itself.
      "@typescript-eslint/no-floating-promises": "off",
      "@typescript-eslint/no-misused-promises": "off",
    },
  },
);
