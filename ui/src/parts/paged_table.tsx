// A table of a list that is read page by page; `empty` replaces it if the list has no rows.
import type { ReactNode } from "react";
import type { Pages } from "../live/use_pages";
import { ProblemBox } from "./basics";
import { Table, type Column } from "./table";

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  pages: Pages<Row>;
  rows?: Row[]; // those of the read rows that are shown; all by default
  place?: string;
  empty: ReactNode;
  isSearching?: boolean; // more rows are being loaded, so the table stays although it is empty
  onEnd?: () => void; // instead of loading the next page
  onOpen?: (row: Row) => void;
}

export function PagedTable<Row extends { id: string }>({
  label,
  columns,
  pages,
  rows = pages.items,
  place = "",
  empty,
  isSearching = false,
  onEnd = pages.loadMore,
  onOpen,
}: Props<Row>) {
  const isEmpty = rows.length === 0 && !pages.isLoading && !isSearching;
  return (
    <>
      <ProblemBox problem={pages.problem} />
      {isEmpty && !pages.problem ? (
        empty
      ) : (
        <Table
          label={label}
          columns={columns}
          rows={rows}
          keyOf={(row) => row.id}
          hasMore={pages.hasMore}
          onEnd={onEnd}
          onVisible={pages.look}
          place={place}
          {...(onOpen ? { onOpen } : {})}
        />
      )}
    </>
  );
}
