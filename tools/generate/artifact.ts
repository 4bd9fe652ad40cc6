// What `npm run generate` makes: a file, and its text as it should be now. Law: the same repository
// gives the same bytes, on every machine and on every day.

export type Artifact = Readonly<{
  /** From the repository's root, with `/`. */
  path: string
  /** The whole text; `current` is what stands there, for a file that is generated in part only. */
  render(current: string | undefined): string
}>
