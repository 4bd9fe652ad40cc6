// An address that a page may lead to: on the web. It is the operator's or the merchant's stored
// one, never one that the request brought.

export const webAddress = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined
