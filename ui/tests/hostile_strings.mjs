// Five hundred hostile strings for any field: scripts, markup, other writing directions, terminal codes, no spaces at
// all. None has control characters where the server refuses them in names.

const scripts = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "<a href=javascript:alert(1)>x</a>",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  '"><script>alert(1)</script>',
  "'-alert(1)-'",
  "{{constructor.constructor('alert(1)')()}}",
  "${alert(1)}",
  "</title><script>alert(1)</script>",
  "<style>*{display:none}</style>",
  "<base href=//example.org>",
  "<form action=//example.org><button>x",
  "<math><mtext><script>alert(1)</script>",
  "<details open ontoggle=alert(1)>",
  '<!--<img src="--><img src=x onerror=alert(1)//">',
  "&lt;script&gt;alert(1)&lt;/script&gt;",
];
const letters = [
  "\u202Egnp.exe", // displayed backwards
  "\u2066\u2067\u2068bidi\u2069",
  "مرحبا بالعالم",
  "שלום עולם",
  "Z̸̡̢̛͙a̴l̵g̶o̷",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "\u200Bzero\u200Bwidth\u200B",
  "ﷺﷺﷺ",
  "test\u2028line\u2029separator",
  "[31mred[0m",
  "%s%n%x",
  "../../../../etc/passwd",
  "' OR 1=1; --",
  "__proto__",
  "constructor",
  "toString",
  "NaN",
  "null",
  "-0",
  "1e999",
];
const around = [
  (text) => text,
  (text) => `a ${text}`,
  (text) => `${text} z`,
  (text) => text.repeat(3),
  (text) => text.toUpperCase(),
  (text) => `"${text}"`,
  (text) => `\`${text}\``,
  (text) => `#/${text}?a=b&c`,
  (text) => `${"x".repeat(120)}${text}`,
  (text) => [...text].reverse().join(""),
  (text) => `${text}\\`,
  (text) => encodeURIComponent(text),
  (text) => `${text}`.padEnd(240, "W"),
];

function shortened(text, bytesMax) {
  const parts = [...text];
  while (Buffer.byteLength(parts.join("")) > bytesMax) parts.pop();
  return parts.join("").toWellFormed?.() ?? parts.join("");
}

export const hostileStrings = around
  .flatMap((wrap) => [...scripts, ...letters].map(wrap))
  .map((text) => shortened(text, 250).trim())
  .slice(0, 500);
