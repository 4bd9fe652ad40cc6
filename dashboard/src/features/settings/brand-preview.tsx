// The payer's page with what is typed and not saved, drawn by the service and shown in a frame that
// runs nothing; and whether the colour can be read, as the API computes it.

import { useEffect, useRef, useState } from 'react'
import type {
  BrandingShade,
  GetMerchantBrandingPreviewData,
  GetMerchantBrandingPreviewResponse,
} from '../../api/types.gen.ts'
import { ticketFor } from '../../data/download.ts'
import { useRead } from '../../data/queries.ts'
import { type Language, writeRatio } from '../../format/amount.ts'
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button, SelectField } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Props = Readonly<{
  of: Readonly<{ name: string; colour: string }>
  /** Its address changes with each file that is saved. */
  logo: string | null
}>

const themes = ['light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Asked for by a press, so that opening the settings costs no more; then with each change. */
export function Preview({ of, logo }: Props) {
  const [isShown, setIsShown] = useState(false)
  const [theme, setTheme] = useState<Theme>('light')
  return (
    <section aria-labelledby="brand-preview">
      <h2 id="brand-preview">{t('branding_preview')}</h2>
      {isShown ? (
        <>
          <Legibility colour={of.colour} />
          <SelectField
            label={t('branding_theme')}
            name="theme"
            value={theme}
            options={themes.map((one) => [one, t(`branding_theme_${one}`)])}
            onChange={({ currentTarget: { value } }) =>
              setTheme(value === 'dark' ? 'dark' : 'light')
            }
          />
          <Framed of={of} theme={theme} logo={logo} />
        </>
      ) : (
        <Button look="plain" onClick={() => setIsShown(true)}>
          {t('branding_preview_show')}
        </Button>
      )}
    </section>
  )
}

function Legibility({ colour }: { colour: string }) {
  const { place, language } = useHere()
  const reading = useRead<GetMerchantBrandingPreviewData, GetMerchantBrandingPreviewResponse>(
    place,
    { url: '/merchant/branding/preview/', query: colour === '' ? {} : { colour } },
  )
  return (
    <Read of={reading}>
      {({ text_contrast, light, dark }) => (
        <div role="status">
          <ul>
            <li>{t('branding_button', { contrast: writeRatio(text_contrast, language) })}</li>
            <li>{shadeText('light', light, language)}</li>
            <li>{shadeText('dark', dark, language)}</li>
          </ul>
        </div>
      )}
    </Read>
  )
}

function shadeText(theme: Theme, of: BrandingShade, language: Language): string {
  const contrast = writeRatio(of.contrast, language)
  if (!of.is_moved) return t(`branding_read_${theme}`, { contrast })
  const own = writeRatio(of.own_contrast, language)
  return t(`branding_moved_${theme}`, { colour: of.colour, contrast, own })
}

function Framed({ of: { name, colour }, theme, logo }: Props & { theme: Theme }) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const [address, setAddress] = useState<string>()
  const asked = useRef('')
  const query = new URLSearchParams({ name, colour, theme, format: 'html' }).toString()
  // A new logo is another page too.
  const wanted = JSON.stringify([query, logo, place])
  // What is chosen while another is on its way is asked for after it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is wanted, once nothing is asked
  useEffect(() => {
    if (isBusy || asked.current === wanted) return
    asked.current = wanted
    run(async () => setAddress(await ticketFor(place, `/merchant/branding/preview/?${query}`)))
  }, [wanted, isBusy])
  return (
    <>
      <Refused failure={failure} />
      {address !== undefined && (
        <iframe className="shown-page" sandbox="" title={t('branding_frame')} src={address} />
      )}
    </>
  )
}
