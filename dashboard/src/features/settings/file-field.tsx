// A file that is sent as soon as it is chosen: one at a time, and the same one can be chosen again,
// which a browser reports only where the field does not have it any more.

import type { ComponentProps } from 'react'
import { TextField } from '../../ui/form.tsx'

type Props = Omit<ComponentProps<typeof TextField>, 'type' | 'onChange' | 'onClick'> &
  Readonly<{
    /** One is being sent: no other can be chosen meanwhile. */
    busy: boolean
    onTake: (file: File) => void
  }>

/** Off while `busy`, it keeps its focus. */
export const FileField = ({ busy, onTake, ...field }: Props) => (
  <TextField
    {...field}
    type="file"
    aria-disabled={busy || undefined}
    onClick={(event) => {
      if (busy) event.preventDefault()
    }}
    onChange={({ currentTarget }) => {
      const file = currentTarget.files?.[0]
      currentTarget.value = ''
      if (file !== undefined && !busy) onTake(file)
    }}
  />
)
