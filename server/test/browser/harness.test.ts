// The browser itself, on pages that are not the checkout's: what the other files here rest on.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { payer, type Shop, startApp, type TestApp } from '../harness.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { describeMissing, fillOnce } from './chromium.ts'
import { overflowOf, runAxe, weigh } from './measure.ts'

let app: TestApp
let shop: Shop
let browsing: Browsing

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  browsing = await borrowBrowser([app.url, app.simulator.url])
})
afterAll(async () => {
  await browsing.close()
  await app.stop()
})

const redirected = async () => {
  const customer = payer('+221770000010')
  const { data } = await shop.pay({ country: 'SN', network: 'wave_sn', customer })
  return data
}

describe('the browser', () => {
  it('pays on the operator’s page without script, in the language it asks for', async () => {
    const payment = await redirected()
    await browsing.visit({ scripts: false, language: 'en', width: 320 }, async (page) => {
      await page.goto(payment.checkout_url)
      expect(await page.locator('html').getAttribute('lang')).toBe('en')
      expect(await overflowOf(page)).toBe(0)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('The payment is done.').waitFor()
    })
    await shop.becomes(payment.id, 'SUCCESS')
  })

  it('reads the documentation, all of it from our own address', async () => {
    await browsing.visit({ width: 1280 }, async (page) => {
      await page.goto(`${app.url}/docs`)
      await page.getByRole('heading', { name: 'Pirogue API' }).waitFor()
    })
  }, 60_000)

  it('weighs a page, and axe finds nothing on the operator’s in light and dark', async () => {
    const { checkout_url } = await redirected()
    for (const dark of [false, true]) {
      await browsing.visit({ dark }, async (page) => {
        const weight = await weigh(page, () => page.goto(checkout_url))
        expect(weight.requests).toEqual([checkout_url])
        expect(weight.bytes).toBeGreaterThan(1_000)
        expect(await runAxe(page)).toEqual([])
      })
    }
  })

  it('takes its time over a slow network', async () => {
    const { checkout_url } = await redirected()
    const from = Date.now()
    await browsing.visit({ slow: true }, (page) => page.goto(checkout_url))
    expect(Date.now() - from).toBeGreaterThan(400)
  })
})

describe('a visit fails', () => {
  const withHtml = (html: string) =>
    browsing.visit({}, async (page) => {
      await page.setContent(html, { waitUntil: 'load' })
      return page.waitForTimeout(100)
    })

  it('when a page asks another host for anything', async () => {
    await expect(withHtml('<img src="http://elsewhere.example/a.png">')).rejects.toThrow(
      'asked for http://elsewhere.example/a.png',
    )
  })

  it('when a script of the page throws', async () => {
    await expect(withHtml('<script>throw new Error("torn")</script>')).rejects.toThrow('torn')
  })
})

describe('axe', () => {
  it('finds what is wrong', async () => {
    await browsing.visit({}, async (page) => {
      await page.setContent('<input><p style="color:#ccc;background:#fff">Pale</p>')
      const found = (await runAxe(page)).join('\n')
      expect(found).toMatch(/color-contrast/)
      expect(found).toMatch(/^label: /m)
    })
  })
})

describe('the unpacked Chromium', () => {
  async function place() {
    const parent = await mkdtemp(path.join(tmpdir(), 'pirogue-unpack-'))
    onTestFinished(() => rm(parent, { recursive: true }))
    return { parent, folder: path.join(parent, 'chromium') }
  }
  const fill = async (stage: string) => {
    await writeFile(path.join(stage, 'other'), '')
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30))
    await writeFile(path.join(stage, 'program'), '')
  }

  it('is whole for everybody when several unpack at once, and nothing lies beside it', async () => {
    const { parent, folder } = await place()
    const whole = async () => {
      await fillOnce(folder, 'program', fill)
      return existsSync(path.join(folder, 'program')) && existsSync(path.join(folder, 'other'))
    }
    expect(await Promise.all(Array.from({ length: 8 }, whole))).toEqual(Array(8).fill(true))
    expect(await readdir(parent)).toEqual(['chromium'])
  })

  it('is unpacked again when somebody has emptied its folder', async () => {
    const { folder } = await place()
    await mkdir(folder)
    await fillOnce(folder, 'program', fill)
    expect(existsSync(path.join(folder, 'program'))).toBe(true)
  })

  it('is not taken from a folder that somebody else may write to', async () => {
    const { parent, folder } = await place()
    await symlink(parent, folder)
    await expect(fillOnce(folder, 'program', fill)).rejects.toThrow('remove it')
  })

  it('says which packages of Debian it lacks', () => {
    const printed = `
      libnss3.so => not found
      libnssutil3.so => not found
      libc.so.6 => /lib/libc.so.6 (0x00007f)
      libodd.so.1 => not found
      ./chromium: /lib/libc.so.6: version \`GLIBC_2.38' not found (required by ./chromium)`
    expect(describeMissing(printed)).toBe(
      'Chromium cannot start: libnss3.so, libnssutil3.so, libodd.so.1, GLIBC_2.38 not found. ' +
        'Debian packages: libnss3, that of libodd.so.1, libc6 (apt-get install).',
    )
    expect(describeMissing('libc.so.6 => /lib/libc.so.6')).toBeUndefined()
  })
})
