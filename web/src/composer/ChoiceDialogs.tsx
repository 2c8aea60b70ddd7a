import { api } from '../app.js'
import { type Resource } from '../core/service/resource.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { type ModelChoice } from '../models/catalog.js'
import { personalities } from '../models/store.js'
import { Loaded } from '../ui/Loaded.js'
import { attempt } from '../ui/attempt.js'
import { Dialog } from '../ui/Dialog.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Icon } from '../ui/Icon.js'
import { Check } from '../ui/icons.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'

interface Choice { name: string, text: string, note?: string, isChosen: boolean }

/** Offers a few choices, for a command that was typed without its argument. */
function ChoiceDialog<Value> ({ title, empty, of, choices, onPick, onClose }: {
  title: string
  empty: string
  of: Resource<Value>
  choices: (value: Value) => readonly Choice[]
  onPick: (name: string) => Promise<unknown>
  onClose: () => void
}) {
  const pick = (name: string): void => {
    onClose()
    void attempt(() => onPick(name))
  }
  return (
    <Dialog open onClose={onClose} title={title} size='small'>
      <Loaded of={of}>
        {(value) => {
          const shown = choices(value)
          if (shown.length === 0) return <EmptyState title={empty} />
          return (
            <div class='composer-choices'>
              {shown.map(({ name, text, note, isChosen }) => (
                <button key={name} type='button' class='menu-item' aria-pressed={isChosen} onClick={() => pick(name)}>
                  <span class='menu-mark menu-tick'>{isChosen ? <Icon of={Check} size={16} /> : null}</span>
                  <span class='menu-text'>
                    <bdi>{text}</bdi>
                    {note === undefined || note === '' ? null : <span class='menu-note'>{note}</span>}
                  </span>
                </button>
              ))}
            </div>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

/** Chooses the reasoning effort. */
export function EffortDialog ({ choice, onClose }: { choice: ModelChoice | null, onClose: () => void }) {
  const model = choice?.model ?? ''
  const provider = choice?.provider ?? ''
  const named = { ...(model !== '' && { model }), ...(provider !== '' && { provider }) }
  const state = useReading(async () => await api.get('/api/reasoning', named), [model, provider])
  const w = words.value.bar
  return (
    <ChoiceDialog
      title={w.effortTitle} empty={screenWords.value.chat.noEffort} of={state} onClose={onClose}
      choices={({
        supports_reasoning_effort: isSupported, supports_thinking_toggle: canBeOff, supported_efforts: efforts,
        reasoning_effort: used
      }) => !isSupported
        ? []
        : ['', ...efforts.filter((effort) => effort !== 'none' || canBeOff)].map((effort) => ({
            name: effort, text: w.effort(effort), isChosen: effort === used
          }))}
      onPick={async (effort) => { await api.post('/api/reasoning', { effort, ...named }) }}
    />
  )
}

/** Chooses the personality of the agent in this chat. */
export function PersonalityDialog ({ opened: { conversation }, onClose }: { opened: OpenChat, onClose: () => void }) {
  const w = words.value.bar
  const used = conversation.session.value?.personality ?? ''
  return (
    <ChoiceDialog
      title={w.personality} empty={screenWords.value.chat.noPersonalities} of={personalities} onClose={onClose}
      choices={(known) => known.length === 0
        ? []
        : [
            { name: '', text: w.noPersonality, isChosen: used === '' },
            ...known.map(({ name, description }) => ({ name, text: name, note: description, isChosen: name === used }))
          ]}
      onPick={async (name) => {
        await api.post('/api/personality/set', { session_id: await conversation.ensure(), name })
        await conversation.reload()
      }}
    />
  )
}
