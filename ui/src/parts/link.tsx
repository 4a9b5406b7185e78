// A link within the dashboard, in the current namespace.
import type { ReactNode } from "react";
import { useConnection } from "../api/context";
import { addressOf, type PageName } from "../route/route";

interface Props {
  page: PageName;
  id?: string | null;
  query?: Record<string, string>;
  className?: string;
  children: ReactNode;
}

export function Link({ page, id = null, query = {}, className, children }: Props) {
  const { ns } = useConnection();
  return (
    <a href={addressOf({ ns, page, id, query })} className={className}>
      {children}
    </a>
  );
}
