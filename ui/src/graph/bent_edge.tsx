// An edge that is straight within the layers that it crosses, and curved between them.
import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { nodeWidth, type Place } from "./layout";

export type BentEdgeData = Edge<{ bends: Place[] }, "bent">;

function curve(from: Place, to: Place): string {
  const middle = (from.x + to.x) / 2;
  return `C ${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
}

export function BentEdge({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<BentEdgeData>) {
  let at: Place = { x: sourceX, y: sourceY };
  let path = `M ${at.x},${at.y}`;
  for (const bend of data?.bends ?? []) {
    path += ` ${curve(at, bend)} H ${bend.x + nodeWidth}`;
    at = { x: bend.x + nodeWidth, y: bend.y };
  }
  return <BaseEdge path={`${path} ${curve(at, { x: targetX, y: targetY })}`} />;
}
