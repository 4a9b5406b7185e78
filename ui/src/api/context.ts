// The client and the namespace, for every part of the page.
import { createContext, useContext } from "react";
import { Client } from "./client";

export interface Connection {
  client: Client;
  ns: string;
}

export const ConnectionContext = createContext<Connection>({ client: new Client(), ns: "default" });

export function useConnection(): Connection {
  return useContext(ConnectionContext);
}
