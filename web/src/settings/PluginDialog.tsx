import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Disclosure } from '../ui/Disclosure.js'
import { LazyDiff } from '../ui/LazyDiff.js'
import { screenWords, words } from '../words/index.js'
import { Loaded } from '../ui/Loaded.js'
import { useReading } from '../ui/use-reading.js'

export type Plugin = Wire<'Plugin'>

/**
 * Shows the contents of a plugin, down to its files, before it is enabled and while it is in use. `onSwitchOn` resolves to false on
 * failure: then the dialog stays open, with the current contents.
 */
export function PluginDialog ({ plugin, onClose, onSwitchOn }: {
  plugin: Plugin
  onClose: () => void
  onSwitchOn: () => Promise<boolean>
}) {
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.plugins
  const switchOn = async (): Promise<void> => {
    setBusy(true)
    if (await onSwitchOn()) onClose()
    setBusy(false)
  }
  const isInUse = plugin.enabled && !plugin.changed
  const actions = isInUse
    ? <Button onClick={onClose}>{words.value.common.close}</Button>
    : (
      <>
        <Button onClick={onClose}>{words.value.common.cancel}</Button>
        <Button kind='primary' busy={isBusy} onClick={() => { void switchOn() }}>{plugin.enabled ? w.useNew : w.switchOn}</Button>
      </>
      )
  return (
    <Dialog open onClose={onClose} title={plugin.name} note={w.trust} size='wide' actions={actions}>
      <Brings plugin={plugin} />
      <Disclosure summary={w.files(plugin.files_count)}>{() => <Files plugin={plugin} />}</Disclosure>
    </Dialog>
  )
}

function Brings ({ plugin: { brings, unused } }: { plugin: Plugin }) {
  const w = screenWords.value.plugins
  const { commands, skills, mcp_servers: servers } = brings
  return (
    <>
      {commands.length + skills.length + servers.length === 0 ? <p>{w.nothing}</p> : null}
      <Named title={w.commands} items={commands.map(({ name, description }) => ({ name: `/${name}`, description }))} />
      <Named title={w.skills} items={skills} />
      {servers.length === 0 ? null : <h3>{w.servers}</h3>}
      <ul class='provider-models'>
        {servers.map(({ name, runs, url, variables, sandbox, problem }) => (
          <li key={name}>
            <b>{name}</b> {problem ?? (runs === null ? w.asks : w.runs)} {runs === null && url === null
              ? null
              : <code>{runs ?? url}</code>} {sandbox
              ? `(${w.sandboxed})`
              : ''}
            {variables.length === 0 ? null : <p class='provider-note'>{w.variables(variables.join(', '))}</p>}
          </li>
        ))}
      </ul>
      {unused.length === 0 ? null : <p class='provider-note'>{w.unused(unused.join(', '))}</p>}
    </>
  )
}

function Named ({ title, items }: { title: string, items: ReadonlyArray<{ name: string, description: string }> }) {
  if (items.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class='provider-models'>{items.map(({ name, description }) => <li key={name}><b>{name}</b> <bdi>{description}</bdi></li>)}</ul>
    </>
  )
}

function Files ({ plugin: { name, files, files_count: count } }: { plugin: Plugin }) {
  const w = screenWords.value.plugins
  return (
    <>
      {files.map(({ path, executable, change }) => (
        <Disclosure
          key={path}
          summary={(
            <>
              <bdi>{path}</bdi> {change === null ? null : <Badge kind='accent'>{w.changes[change]}</Badge>} {executable
                ? <Badge>{w.executable}</Badge>
                : null}
            </>
          )}
        >
          {() => <FileText name={name} path={path} />}
        </Disclosure>
      ))}
      {count > files.length ? <p class='provider-note'>{w.moreFiles(count - files.length)}</p> : null}
    </>
  )
}

function FileText ({ name, path }: { name: string, path: string }) {
  const file = useReading(async () => await api.get('/api/plugins/file', { name, path }), [name, path])
  const w = screenWords.value.plugins
  return (
    <Loaded of={file}>
      {({ content, diff }) => diff !== null
        ? <LazyDiff diff={diff} bare />
        : content === null ? <p class='provider-note'>{w.gone}</p> : <pre class='settings-log' tabIndex={0}>{content}</pre>}
    </Loaded>
  )
}
