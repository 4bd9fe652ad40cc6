// The page that a payer sees, to be tried out: beside this one where there is room, in a window as
// wide as a telephone, so that both are seen at once. It stands in no frame, as no page does on
// which somebody pays: a page above it could have a payer press what they do not see.

import type { MouseEvent } from 'react'
import { useIsWide } from '../ui/wide.ts'
import { t } from '../words/translate.ts'

const width_px = 390
const height_px = 800

/** `onOpen`: where this page goes meanwhile, when the other one stands beside it. */
type PayerPageProps = Readonly<{ address: string; look?: 'act' | 'plain'; onOpen?: () => void }>

export function PayerPage({ address, look = 'act', onOpen }: PayerPageProps) {
  const isWide = useIsWide()
  const openBeside = (event: MouseEvent) => {
    const { ctrlKey, metaKey, shiftKey } = event
    if (!isWide || ctrlKey || metaKey || shiftKey) return
    event.preventDefault()
    const left_px = screen.availWidth - width_px
    const size = `width=${width_px},height=${height_px},left=${left_px},top=0`
    window.open(address, '_blank', `popup,noreferrer,${size}`)
    onOpen?.()
  }
  return (
    <a
      className={`button ${look}`}
      href={address}
      target="_blank"
      rel="noreferrer"
      onClick={openBeside}
    >
      {t('sandbox_open_page')}
    </a>
  )
}
