// Whoever looks for a stranger among their sessions goes by the name of the device.

import { expect, it } from 'vitest'
import { deviceOf } from '../src/format/device.ts'

const like_safari = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const safari = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const chrome = 'Chrome/143.0.0.0 Mobile Safari/537.36'

it.each([
  [`(Linux; Android 10; K) ${like_safari} ${chrome}`, 'Chrome, Android'],
  ['(Android 14; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox, Android'],
  [
    `(Linux; Android 13; SM-A145F) ${like_safari} SamsungBrowser/29.0 ${chrome}`,
    'Samsung Internet, Android',
  ],
  [`(Linux; Android 10; K) ${like_safari} ${chrome} OPR/93.0.0.0`, 'Opera, Android'],
  [
    `(Windows NT 10.0; Win64; x64) ${like_safari} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0`,
    'Edge, Windows',
  ],
  [
    `(iPhone; CPU iPhone OS 18_7 like Mac OS X) ${safari} Version/26.1 Mobile Safari/604.1`,
    'Safari, iPhone',
  ],
  [
    `(iPhone; CPU iPhone OS 18_7 like Mac OS X) ${safari} CriOS/143.0 Mobile Safari/604.1`,
    'Chrome, iPhone',
  ],
  [`(Macintosh; Intel Mac OS X 10_15_7) ${safari} Version/26.1 Safari/605.1.15`, 'Safari, Mac'],
  [`(X11; Linux x86_64) ${like_safari} Chrome/143.0.0.0 Safari/537.36`, 'Chrome, Linux'],
])('Mozilla/5.0 %s', (rest, name) => expect(deviceOf(`Mozilla/5.0 ${rest}`)).toBe(name))

it('a program is called as it calls itself', () => {
  expect(deviceOf('node')).toBe('node')
  expect(deviceOf('')).toBe('')
})
