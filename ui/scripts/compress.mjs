// Compresses the files of dist/ once, so that the server does not compress them for each browser.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist", import.meta.url).pathname;
const bytesMax = 400_000;

function filesUnder(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : [path];
  });
}

let total = 0;
for (const file of filesUnder(dist)) {
  const compressed = gzipSync(readFileSync(file), { level: 9 });
  writeFileSync(`${file}.gz`, compressed);
  rmSync(file);
  total += compressed.length;
}
console.log(`the dashboard is ${total} bytes compressed, of at most ${bytesMax}`);
if (total > bytesMax) process.exit(1);
