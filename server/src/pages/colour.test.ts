// Whatever colour a merchant has chosen, what is written in it and on it can be read.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contrast, isColour, legibleOn, paper, platform_colour, textOn } from './colour.ts'
import { coloursOf } from './look.ts'

const colours = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`)

describe('a colour', () => {
  it('has white or black on it at 4.5 to 1 at least', () => {
    fc.assert(fc.property(colours, (one) => contrast(one, textOn(one)) >= 4.5))
  })

  it('is made legible on light and on dark paper', () => {
    fc.assert(
      fc.property(colours, (one) =>
        [paper.light, paper.dark].every(
          (ground) => contrast(legibleOn(ground, one), ground) >= 4.5,
        ),
      ),
    )
  })

  it('that is legible stays as it is', () => {
    expect(legibleOn(paper.light, '#0a7d4f')).toBe('#0a7d4f')
    expect(legibleOn(paper.dark, '#ffff00')).toBe('#ffff00')
  })

  it('is compared as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it('that is none is ours', () => {
    expect([isColour(''), isColour('red'), isColour('#0A7d4F')]).toEqual([false, false, true])
    expect(coloursOf('red;}').html.toString()).toContain(`--b:${platform_colour};`)
  })
})
