// A merchant's colour, kept legible: the text on it, and its shade for text and lines on our paper,
// have at least the contrast that WCAG 2.1 asks of text (1.4.3: 4.5 to 1).

const least = 4.5
const steps = 20
export const paper = { light: '#ffffff', dark: '#14171a' } as const
export const platform_colour = '#0b6b4f'

type Rgb = readonly [number, number, number]

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

const rgbOf = (hex: string): Rgb => {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

const hexOf = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** Relative luminance, WCAG 2.1. */
function luminance(hex: string): number {
  const [red, green, blue] = rgbOf(hex).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** White or black: one of them is always legible. */
export const textOn = (colour: string): string =>
  contrast('#ffffff', colour) >= least ? '#ffffff' : '#000000'

/** The nearest shade that is legible on this paper: darker on light, lighter on dark. */
export function legibleOn(ground: string, colour: string): string {
  const [red, green, blue] = rgbOf(colour)
  const end = luminance(ground) > 0.5 ? 0 : 255
  for (let step = 0; step <= steps; step += 1) {
    const mix = (part: number) => part + ((end - part) * step) / steps
    const shade = hexOf([mix(red), mix(green), mix(blue)])
    if (contrast(shade, ground) >= least) return shade
  }
  return hexOf([end, end, end])
}
