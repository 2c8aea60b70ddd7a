import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { Loaded } from '../ui/Loaded.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { type ModelChoice } from './catalog.js'
import { ModelPicker } from './ModelPicker.js'
import { auxiliary, refreshModels } from './store.js'

type Slot = Wire<'AuxiliaryModels'>['tasks'][number]

/** Sets the models for small tasks. */
export function Slots () {
  const w = screenWords.value.models
  return (
    <section class='settings-block models-section'>
      <h2>{w.slots}</h2>
      <p class='settings-note'>{w.slotsNote}</p>
      <Loaded of={auxiliary} lines={6}>
        {({ tasks }) => {
          const own = tasks.filter(({ model }) => model !== '')
          // Tasks without a name here belong to other clients.
          const others = tasks.filter(({ task, model }) => model === '' && w.slotName(task, '') !== '')
          return (
            <>
              {own.length === 0 ? null : <SlotList tasks={own} />}
              {others.length === 0
                ? null
                : (
                  <Disclosure summary={own.length === 0 ? w.allMain(others.length) : w.othersMain(others.length)}>
                    {() => <SlotList tasks={others} />}
                  </Disclosure>
                  )}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const ofSlot = ({ model, provider }: Slot): ModelChoice => ({ model, provider })

function SlotList ({ tasks }: { tasks: readonly Slot[] }) {
  const [picked, setPicked] = useState<Slot | null>(null)
  const w = screenWords.value.models
  const set = async (slot: Slot, choice: ModelChoice, canUndo = true): Promise<void> => {
    const name = w.slotName(slot.task, slot.label)
    const isDone = await attempt(async () => await api.post('/api/model/set', {
      scope: 'auxiliary', task: slot.task, model: choice.model, provider: choice.provider ?? 'auto'
    }))
    await refreshModels()
    if (isDone && canUndo) {
      toast(w.slotSet(name, choice.model === '' ? w.sameAsMain : choice.model), {
        about: `slot ${slot.task}`,
        action: { text: words.value.common.undo, onPick: () => { void set(slot, ofSlot(slot), false) } }
      })
    }
  }
  const reset = async (): Promise<void> => {
    const changed = tasks.filter(({ model }) => model !== '')
    const isDone = await attempt(async () => await api.post('/api/model/set', { scope: 'auxiliary', task: '__reset__' }))
    await refreshModels()
    const undo = async (): Promise<void> => { for (const slot of changed) await set(slot, ofSlot(slot), false) }
    if (isDone) toast(w.slotsReset, { about: 'slots', action: { text: words.value.common.undo, onPick: () => { void undo() } } })
  }
  return (
    <>
      {tasks.map((slot) => {
        const name = w.slotName(slot.task, slot.label)
        return (
          <div key={slot.task} class='models-slot'>
            <div class='models-slot-text'>
              <p class='models-slot-name'>{name}: <bdi>{slot.model === '' ? w.sameAsMain : slot.model}</bdi></p>
              <p class='settings-note'>{w.slotNote(slot.task, slot.description)}</p>
            </div>
            {slot.model === ''
              ? null
              : (
                <Button kind='quiet' label={`${w.useMain}: ${name}`} onClick={() => { void set(slot, { model: '', provider: 'auto' }) }}>
                  {w.useMain}
                </Button>
                )}
            <Button label={`${w.change}: ${name}`} onClick={() => setPicked(slot)}>{w.change}</Button>
          </div>
        )
      })}
      {tasks.some(({ model }) => model !== '')
        ? <div><Button kind='quiet' onClick={() => { void reset() }}>{w.resetSlots}</Button></div>
        : null}
      <ModelPicker
        open={picked !== null} onClose={() => setPicked(null)} current={picked === null || picked.model === '' ? null : ofSlot(picked)}
        {...(picked !== null && { title: w.slotName(picked.task, picked.label) })}
        onPick={(model, provider) => { if (picked !== null) void set(picked, { model, provider }) }}
      />
    </>
  )
}
