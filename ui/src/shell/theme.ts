// Light, dark, or the system's setting (the default). The choice is no secret, so it may be stored.
import { useCallback, useEffect, useState } from "react";

const choices = ["auto", "light", "dark"] as const;
export type Theme = (typeof choices)[number];
const key = "pawl.theme";

function kept(): Theme {
  const value = window.localStorage.getItem(key);
  return choices.find((choice) => choice === value) ?? "auto";
}

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(kept);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    window.localStorage.setItem(key, theme);
  }, [theme]);
  const next = useCallback(() => setTheme((now) => choices[(choices.indexOf(now) + 1) % choices.length] ?? "auto"), []);
  return [theme, next];
}
