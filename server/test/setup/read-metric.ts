// One number of `/metrics`.

/** Undefined where it is not there. */
export async function readMetric(url: string, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const [, value] = new RegExp(`^${name} (\\d+)$`, 'm').exec(text) ?? []
  return value === undefined ? undefined : Number(value)
}
