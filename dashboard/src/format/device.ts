// What a browser and its machine are called by people, of the line in which browsers name all that
// they are like: the first that is meant stands first here, not there. An Android calls itself
// Linux before Android, and Edge calls itself Chrome before Edge.

const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera|OPX)[/ ]/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bUCBrowser\//, 'UC Browser'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bKAIOS\//i, 'KaiOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** "Chrome, Android" of a `User-Agent`; the whole of it where neither is known. */
export function deviceOf(user_agent: string): string {
  const named = [browsers, systems].flatMap(
    (all) => all.find(([sign]) => sign.test(user_agent))?.[1] ?? [],
  )
  return named.length === 0 ? user_agent : named.join(', ')
}
