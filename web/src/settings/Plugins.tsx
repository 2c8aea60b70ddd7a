import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { Loaded } from '../ui/Loaded.js'
import { PluginDialog, type Plugin } from './PluginDialog.js'

const plugins = createResource(async () => await api.get('/api/plugins'))

/** Lists plugins, which stay disabled until someone has reviewed them. */
export function Plugins () {
  const w = screenWords.value.plugins
  return (
    <>
      <p class='settings-note'>{w.note} <code>plugins/</code></p>
      <Loaded of={plugins}>
        {({ plugins: list }) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : (
            <ul class='settings-list'>
              {byNeed(list).map((plugin) => <PluginRow key={plugin.name} plugin={plugin} />)}
            </ul>
            )}
      </Loaded>
    </>
  )
}

/** Changed plugins, which need a look, then those in use, then the others. */
const byNeed = (list: readonly Plugin[]): Plugin[] => list.toSorted((one, other) => rankOf(one) - rankOf(other))
const rankOf = ({ changed, enabled }: Plugin): number => changed ? 0 : enabled ? 1 : 2

/** Enables or disables a plugin as it was reviewed, and says so; resolves with whether it is done. */
async function set ({ name, seal }: Plugin, isOn: boolean): Promise<boolean> {
  const w = screenWords.value.plugins
  const isDone = await attempt(async () => await api.post('/api/plugins', { name, enabled: isOn, seal }))
  if (isDone) toast(isOn ? w.isOn(name) : w.isOff(name))
  await plugins.refresh()
  return isDone
}

function PluginRow ({ plugin }: { plugin: Plugin }) {
  const [isOpen, setOpen] = useState(false)
  const w = screenWords.value.plugins
  const { name, description, enabled, changed, problem } = plugin
  const { commands, skills, mcp_servers: servers } = plugin.brings
  const state = changed ? w.changed : enabled ? w.on : w.off
  const facts = [w.by(plugin.author ?? '', plugin.version ?? ''), w.counts(commands.length, skills.length, servers.length)]
  const action = changed ? w.lookAgain : enabled ? w.contents : w.look
  return (
    <li class='provider plugin'>
      <div class='plugin-text'>
        <div class='plugin-head'>
          <h3 class='plugin-name'>{name}</h3>
          <Badge kind={changed ? 'accent' : enabled ? 'good' : 'neutral'}>{state}</Badge>
        </div>
        {description === '' ? null : <p><bdi>{description}</bdi></p>}
        <p class='provider-note'><bdi>{facts.filter((fact) => fact !== '').join(' · ')}</bdi></p>
        {problem === null ? null : <p class='provider-bad' role='status'>{problem}</p>}
        {changed && problem === null ? <p class='provider-note'>{w.changedNote}</p> : null}
      </div>
      <div class='provider-actions'>
        {problem === null
          ? <Button size='small' kind={changed ? 'primary' : 'plain'} label={`${action}: ${name}`} onClick={() => setOpen(true)}>{action}</Button>
          : null}
        {enabled
          ? <Button size='small' label={`${w.switchOff}: ${name}`} onClick={() => { void set(plugin, false) }}>{w.switchOff}</Button>
          : null}
      </div>
      {isOpen ? <PluginDialog plugin={plugin} onClose={() => setOpen(false)} onSwitchOn={async () => await set(plugin, true)} /> : null}
    </li>
  )
}
