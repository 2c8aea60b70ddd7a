import { type McpServerConfig } from '../../agent/index.js'
import { Invalid } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { mask, redact } from '../../ground/redaction/index.js'
import { type McpServerChange } from './server-change.js'

const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : []

/**
 * Restores values that a client sends back masked, as they were shown. Throws Invalid for a mask that stands for no known value.
 * @param before the entry in config.yaml
 */
export function keepMasked (change: McpServerChange, shown: McpServerConfig | undefined, before: unknown): McpServerChange {
  const written = fieldsOf(before)
  const target = fieldsOf(shown?.target)
  const kept = (key: string, sent: string, was: unknown, raw: unknown): string => {
    if (!sent.includes(mask)) return sent
    if (typeof was === 'string' && typeof raw === 'string' && redact(was) === sent) return raw
    throw new Invalid(`${key}: ${mask} stands for a hidden value. Leave it unchanged, or enter the whole value`)
  }
  const all = { ...change }
  for (const key of [
    'command', 'url', 'cwd'
  ] as const) if (typeof change[key] === 'string') all[key] = kept(key, change[key], target[key], written[key])
  if (change.args != null) {
    const [were, raws] = [listOf(target.args), listOf(written.args)]
    // Arguments before it may have been added or removed.
    all.args = change.args.map((arg, at) => {
      const place = typeof were[at] === 'string' && redact(were[at]) === arg
        ? at
        : were.findIndex((was) => typeof was === 'string' && redact(was) === arg)
      return kept('args', arg, were[place], raws[place])
    })
  }
  return all
}
