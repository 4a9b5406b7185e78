// Scrolls the element that the address names into view and focuses it, once.
import { useEffect, useRef, type RefObject } from "react";

export function useShownFirst<Kind extends HTMLElement>(isTarget: boolean): RefObject<Kind> {
  const element = useRef<Kind>(null);
  useEffect(() => {
    if (!isTarget) return;
    element.current?.scrollIntoView({ block: "center" });
    element.current?.focus({ preventScroll: true });
  }, [isTarget]);
  return element;
}
