// A link for those who stand before the shop: its QR code on the screen, to be scanned from it, and
// as a file; a poster for the wall and one for the counter.

import { useEffect, useRef, useState } from 'react'
import type { PaymentLink } from '../../api/types.gen.ts'
import { downloadFile, ticketFor } from '../../data/download.ts'
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

const sizes = ['A5', 'A6'] as const

type OnPaperProps = Readonly<{
  link: PaymentLink
  /** It was made a moment ago, perhaps for whoever stands there: its code is shown at once. */
  isNew?: boolean
}>

export function OnPaper({ link, isNew = false }: OnPaperProps) {
  const { place, language } = useHere()
  const { failure, isBusy, run } = useAct()
  const [picture, setPicture] = useState<string>()
  const at = `/payment-links/${link.id}`
  const show = () => run(async () => setPicture(await ticketFor(place, `${at}/qr/?format=svg`)))
  const begin = useRef(isNew ? show : undefined)
  useEffect(() => {
    void begin.current?.()
    begin.current = undefined
  }, [])
  const save = (path: string) => run(() => downloadFile(place, at + path))
  return (
    <section>
      <h2>{t('link_on_paper')}</h2>
      <Refused failure={failure} />
      {picture !== undefined && (
        <p>
          <img
            className="qr"
            src={picture}
            alt={t('link_qr_of', { name: link.name })}
            width="240"
            height="240"
          />
        </p>
      )}
      <div className="acts">
        {picture === undefined && (
          <Button look="plain" busy={isBusy} onClick={show}>
            {t('link_qr_show')}
          </Button>
        )}
        <Button look="plain" busy={isBusy} onClick={() => save('/qr/?format=png')}>
          {t('link_qr_save')}
        </Button>
        {sizes.map((size) => (
          <Button
            key={size}
            look="plain"
            busy={isBusy}
            onClick={() => save(`/poster/?size=${size}&lang=${language}`)}
          >
            {t('link_poster', { size })}
          </Button>
        ))}
      </div>
    </section>
  )
}
