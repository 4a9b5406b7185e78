// The lint rules of the dashboard: typescript-eslint's recommended ones, and a limit on the branches of a function.
import tseslint from "typescript-eslint";

const complexityMax = 15;

export default tseslint.config({ ignores: ["dist/", "src/api/calls.ts"] }, ...tseslint.configs.recommended, {
  linterOptions: { reportUnusedDisableDirectives: "error" },
  rules: { complexity: ["error", complexityMax] },
});
