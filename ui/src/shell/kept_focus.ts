// What has the focus may go: a button whose action is done, a row that was opened. The focus then goes to the page, not to
// nowhere, so that the next key is still understood and a screen reader stays where it was.
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
