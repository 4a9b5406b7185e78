// The outcome of an action, shown in a corner and announced to screen readers.
import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";
import { problemInWords, problemOf } from "../api/problem";

interface Notice {
  number: number;
  text: string;
  isBad: boolean;
}

export interface Notices {
  show: (text: string) => void;
  showError: (error: unknown) => void;
}

const NoticesContext = createContext<Notices>({ show: () => {}, showError: () => {} });
const shownMs = 6000;
let count = 0;

export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<Notice[]>([]);
  const add = useCallback((text: string, isBad: boolean) => {
    count += 1;
    const notice = { number: count, text, isBad };
    setNotices((all) => [...all.slice(-3), notice]);
    window.setTimeout(() => setNotices((all) => all.filter((one) => one !== notice)), shownMs);
  }, []);
  const value = useMemo<Notices>(
    () => ({
      show: (text) => add(text, false),
      showError: (error) => {
        const problem = problemOf(error);
        add(`${problem.code}: ${problemInWords(problem)}`, true);
      },
    }),
    [add],
  );
  return (
    <NoticesContext.Provider value={value}>
      {children}
      <div className="notices" role="status" aria-live="polite">
        {notices.map((notice) => (
          <p key={notice.number} className={notice.isBad ? "notice bad" : "notice"}>
            {notice.text}
          </p>
        ))}
      </div>
    </NoticesContext.Provider>
  );
}

export function useNotices(): Notices {
  return useContext(NoticesContext);
}
