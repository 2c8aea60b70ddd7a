import { controlKey, reviewKeys, shortcuts } from '../core/screen/shortcuts.js'
import { Kbd } from '../ui/Badge.js'
import { screenWords } from '../words/index.js'
import './palette.css'

/** Lists all shortcuts, from the table that handles them, then the keys of a review, then those of `more`. */
export function ShortcutList ({ more = [] }: { more?: ReadonlyArray<readonly [name: string, key: string]> }) {
  const w = screenWords.value.palette
  const rows = [
    ...shortcuts.map(({ id, key, withControl }) => [w.keys[id], `${withControl === true ? `${controlKey} ` : ''}${key.toUpperCase()}`] as const),
    ...reviewKeys.map(([id, key]) => [w.reviewKeys[id], key] as const),
    ...more
  ]
  const byName = new Map<string, string[]>()
  for (const [name, key] of rows) byName.set(name, [...byName.get(name) ?? [], key])
  return (
    <dl class='shortcuts'>
      {[...byName].map(([name, keys]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name} keys`} class='shortcut-keys'>{keys.map((key) => <Kbd key={key}>{key}</Kbd>)}</dd>
      ])}
    </dl>
  )
}
