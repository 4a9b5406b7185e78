// Asks for the token that the server requires. The page keeps it in memory only; a password manager may store it.
import { useState } from "react";
import { Command } from "../parts/basics";

export function SignIn({ wasRefused, onToken }: { wasRefused: boolean; onToken: (token: string) => void }) {
  const [token, setToken] = useState("");
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim()) onToken(token.trim());
        }}
      >
        <h1>Pawl</h1>
        <p>This server requires an access token. The page keeps it in memory until you close or reload the page.</p>
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          autoFocus
          spellCheck={false}
          value={token}
          aria-invalid={wasRefused}
          onChange={(event) => setToken(event.target.value)}
        />
        {wasRefused && (
          <p className="tone-bad" role="alert">
            The token is invalid or has expired.
          </p>
        )}
        <button type="submit" className="main" disabled={token.trim() === ""}>
          Sign in
        </button>
        <p className="muted">
          Create an administrator token for all namespaces first, and use it to create other tokens. A viewer token is
          read-only:
        </p>
        <Command>{`pawl token create --role admin --namespace '*'
pawl token create --role viewer --namespace default`}</Command>
      </form>
    </main>
  );
}
