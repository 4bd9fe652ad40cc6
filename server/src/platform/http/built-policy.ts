// What a browser may do on the page that was built for it: its own files and nothing else. It is a
// file of its own so that the dashboard is written below the law that it is served by
// (`vite.config.ts`).

/** As the header `Content-Security-Policy`. */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  // The preview of a merchant's own page alone, whose policy is a sandbox.
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')
