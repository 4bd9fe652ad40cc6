// The template escapes in text and in attributes, and refuses what it could not make safe.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { html, inline } from './html.ts'

const hostile = `</p><script>alert("1")</script>'&`

describe('a hole', () => {
  it('is text in text', () => {
    expect(html`<p>${hostile}</p>`.toString()).toBe(
      '<p>&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;</p>',
    )
  })

  it('cannot leave an attribute', () => {
    const made = html`<input value="${'" autofocus onfocus="alert(1)'}">`.toString()
    expect(made).toBe('<input value="&quot; autofocus onfocus=&quot;alert(1)">')
  })

  it('holds what the template made as it is, lists too, and nothing for nothing', () => {
    const items = ['<a>', 'b'].map((one) => html`<li>${one}</li>`)
    expect(html`<ul>${items}${undefined}${null}${false}${0}</ul>`.toString()).toBe(
      '<ul><li>&lt;a&gt;</li><li>b</li>0</ul>',
    )
  })

  it('does not take something that only looks like the template’s own', () => {
    const forged: unknown = { toString: () => '<b>' }
    expect(() => html`<p>${forged as string}</p>`.toString()).toThrow()
    expect(html`<p>${String(forged)}</p>`.toString()).toBe('<p>&lt;b&gt;</p>')
  })

  it('needs quotes around it', () => {
    expect(() => html`<input value=${'x'}>`).toThrow('without quotes')
  })
})

describe('an address of a telephone', () => {
  it.each([
    'tel:*133%23',
    'tel:%23144*82%23',
    'tel:+22901950000',
    "sms:?&body=Re%C3%A7u%20(1)%20d'Awa!",
    'mailto:aide%2Bpaiement@boutique.example',
  ])('%s may be followed', (address) => {
    expect(html`<a href="${address}">x</a>`.toString()).toMatch(/^<a href="(?:tel|sms|mailto):/)
  })

  it.each([
    ...['tel:1;ext=2', 'tel:<b>', 'sms:+229019500?body=x', 'sms:?&body=a b', 'sms:', 'tel:'],
    ...['mailto:', 'mailto:a@b.example?bcc=c@d.example', 'mailto:a@b.example,c@d.example'],
  ])('%s may not', (address) => {
    expect(() => html`<a href="${address}">x</a>`).toThrow('may not be followed')
  })
})

describe('an address', () => {
  it.each(['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', '//evil.example'])(
    'is not %s',
    (address) => {
      expect(() => html`<a href="${address}">x</a>`).toThrow('may not be followed')
      expect(() => html`<form action="${address}"></form>`).toThrow('may not be followed')
    },
  )

  it.each(['https://shop.example/?a=1&b=2', 'http://a.example', '/checkout/x', '?lang=fr', '#top'])(
    'is %s',
    (address) => {
      expect(html`<a href="${address}">x</a>`.toString()).toContain('href="')
    },
  )
})

describe('inline text', () => {
  it('is let through by its own hash', () => {
    const { html: made, source } = inline('style', 'p>a{color:red}')
    expect(made.toString()).toBe('<style>p>a{color:red}</style>')
    const hash = createHash('sha256').update('p>a{color:red}').digest('base64')
    expect(source).toBe(`'sha256-${hash}'`)
  })

  it.each(['</style><script>', '<!--'])('cannot hold %s', (text) => {
    expect(() => inline('style', text)).toThrow('end its element')
  })
})
