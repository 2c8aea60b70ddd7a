import { useSignal } from '@preact/signals'
import { folderName } from '../core/machines/location.js'
import { visible } from '../core/files/paths.js'
import { ModelPicker } from '../models/ModelPicker.js'
import { LazyFolderChooser } from '../side/FolderField.js'
import { Button } from '../ui/Button.js'
import { Field } from '../ui/Field.js'
import { growWithText } from '../ui/grow-with-text.js'
import { BookOpen, ChevronDown, Folder, Plus, X } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { screenWords } from '../words/index.js'
import { modelKey, type TaskForm } from './task-form.js'

export interface WhatProps {
  form: Pick<TaskForm, 'prompt' | 'workspace' | 'model' | 'skills'>
  /** Skills that can be added. */
  skills: readonly string[]
  isNew: boolean
  label?: string
  placeholder?: string
  onChange: (change: Partial<WhatProps['form']>) => void
}

/** The work of a task: its message, with its folder, model and skills as chips below. */
export function What ({
  form, skills, isNew, label = screenWords.value.tasks.prompt, placeholder = screenWords.value.tasks.promptPlaceholder, onChange
}: WhatProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => { if (area.current !== null) growWithText(area.current, 2, 16) }, [form.prompt])
  return (
    <Field label={label}>
      {(field) => (
        <div class='field-box task-what'>
          <textarea
            {...field} ref={area} class='field-input field-area' rows={2} value={form.prompt} dir='auto' autofocus={isNew}
            placeholder={placeholder} onInput={({ currentTarget }) => onChange({ prompt: currentTarget.value })}
          />
          <div class='task-chips'>
            <FolderChip workspace={form.workspace} onChange={(workspace) => onChange({ workspace })} />
            <ModelChip model={form.model} onChange={(model) => onChange({ model })} />
            <SkillChips chosen={form.skills} skills={skills} onChange={(skills) => onChange({ skills })} />
          </div>
        </div>
      )}
    </Field>
  )
}

function FolderChip ({ workspace, onChange }: { workspace: string, onChange: (workspace: string) => void }) {
  const isChoosing = useSignal(false)
  const w = screenWords.value.tasks
  return (
    <>
      <Menu
        label={w.workspace} icon={Folder} after={ChevronDown} size='small' align='start'
        items={() => [
          { text: w.usualFolder, checked: workspace === '', onPick: () => onChange('') },
          ...(workspace === '' ? [] : [{ text: visible(workspace), checked: true, onPick: () => {} }]),
          { text: w.otherFolder, onPick: () => { isChoosing.value = true } }
        ]}
      >
        {workspace === '' ? w.usualFolder : <bdi>{visible(folderName(workspace))}</bdi>}
      </Menu>
      {isChoosing.value
        ? <LazyFolderChooser
            title={w.folderTitle} current={workspace}
            onClose={() => { isChoosing.value = false }}
            onChosen={({ path }) => onChange(path)}
          />
        : null}
    </>
  )
}

function ModelChip ({ model, onChange }: { model: string, onChange: (model: string) => void }) {
  const isPicking = useSignal(false)
  const w = screenWords.value.tasks
  const [provider = '', ...rest] = model.split(' ')
  const name = rest.join(' ')
  return (
    <>
      <Menu
        label={w.model} after={ChevronDown} size='small' align='start'
        items={() => [
          { text: w.usualModel, checked: model === '', onPick: () => onChange('') },
          ...(model === '' ? [] : [{ text: name, note: provider, checked: true, onPick: () => {} }]),
          { text: w.otherModel, onPick: () => { isPicking.value = true } }
        ]}
      >
        <bdi>{model === '' ? w.usualModel : name}</bdi>
      </Menu>
      <ModelPicker
        open={isPicking.value} current={model === '' ? null : { model: name, provider }}
        onClose={() => { isPicking.value = false }}
        onPick={(picked, of) => onChange(modelKey(of, picked))}
      />
    </>
  )
}

function SkillChips ({ chosen, skills, onChange }: {
  chosen: readonly string[]
  skills: readonly string[]
  onChange: (skills: readonly string[]) => void
}) {
  const w = screenWords.value.tasks
  const others = skills.filter((name) => !chosen.includes(name))
  return (
    <>
      {chosen.map((name) => (
        <Button
          key={name} kind='quiet' size='small' icon={X} class='task-skill' label={w.removeSkill(name)}
          onClick={() => onChange(chosen.filter((one) => one !== name))}
        >
          <bdi>{name}</bdi>
        </Button>
      ))}
      {others.length === 0
        ? null
        : (
          <Menu
            label={w.addSkill} icon={chosen.length === 0 ? BookOpen : Plus} size='small' align='start'
            items={() => others.map((name) => ({ text: name, onPick: () => onChange([...chosen, name]) }))}
          >
            {chosen.length === 0 ? w.addSkill : undefined}
          </Menu>)}
    </>
  )
}
