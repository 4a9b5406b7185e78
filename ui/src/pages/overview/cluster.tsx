// The nodes and their leader. Only administrators may see them.
import { useCallback } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { Age, Id, ProblemBox } from "../../parts/basics";

export function Cluster() {
  const { client } = useConnection();
  const load = useCallback((signal: AbortSignal) => client.call("GET /v1/admin/nodes", { signal }), [client]);
  const nodes = useLoaded(load, 10_000);
  if (nodes.problem?.status === 403) return <p className="muted">Only administrators can see the nodes.</p>;
  return (
    <section className="panel" aria-label="Nodes">
      <h2>Nodes</h2>
      <ProblemBox problem={nodes.problem} />
      <div className="scroll" tabIndex={0} role="group" aria-label="Nodes of the cluster">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Host</th>
              <th scope="col">Role</th>
              <th scope="col">Version</th>
              <th scope="col">Started</th>
              <th scope="col">Last heartbeat</th>
            </tr>
          </thead>
          <tbody>
            {nodes.value?.items.map((node) => (
              <tr key={node.node_id}>
                <th scope="row">
                  <Id id={node.node_id} />
                </th>
                <td>{node.hostname}</td>
                <td>{node.is_leader ? <strong>leader, term {node.term}</strong> : "follower"}</td>
                <td>{node.version}</td>
                <td>
                  <Age at={node.started_at} />
                </td>
                <td>
                  <Age at={node.heartbeat_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
