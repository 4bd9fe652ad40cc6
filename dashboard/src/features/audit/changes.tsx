// What an act changed, field by field: before and after beside each other, by the API's own names.

import { t } from '../../words/translate.ts'

type Values = Readonly<Record<string, unknown>> | null
type Props = Readonly<{ before: Values; after: Values }>

function write(value: unknown): string {
  if (value === undefined || value === null || value === '') return t('audit_nothing')
  if (typeof value === 'boolean') return t(value ? 'audit_yes' : 'audit_no')
  return typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value)
}

/** Nothing where the act says no more than that it was done. */
export function Changes({ before, after }: Props) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return null
  return (
    <table className="changes">
      <caption className="unseen">{t('audit_changed')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('audit_changed')}</th>
          {before !== null && <th scope="col">{t('audit_before')}</th>}
          {after !== null && <th scope="col">{t('audit_after')}</th>}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            {before !== null && <td>{write(before[name])}</td>}
            {after !== null && <td>{write(after[name])}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
