// When the focused element disappears (a button whose action is done, an opened row), the page gets the focus. Keys
// keep working, and a screen reader keeps its place.
import { useEffect } from "react";

export function useKeptFocus(pageId: string): void {
  useEffect(() => {
    let last: Element | null = null;
    const onFocus = (event: FocusEvent) => {
      if (event.target instanceof Element) last = event.target;
    };
    const onChange = () => {
      const isGone = last !== null && (!last.isConnected || last.matches(":disabled"));
      if (!isGone || document.activeElement !== document.body) return;
      last = null;
      document.getElementById(pageId)?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(onChange);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    document.addEventListener("focusin", onFocus);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", onFocus);
    };
  }, [pageId]);
}
