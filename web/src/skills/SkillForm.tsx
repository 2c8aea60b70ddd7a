import { useSignal } from '@preact/signals'
import { Markdown } from '../markdown/Markdown.js'
import { TextArea, TextField } from '../ui/Field.js'
import { Segmented } from '../ui/Segmented.js'
import { screenWords } from '../words/index.js'
import { slugOf, splitFrontMatter } from './catalog.js'
import { readSkill, writeSkill } from './skill-text.js'

export interface SkillFormProps {
  /** The whole text of the skill. */
  content: string
  /** The name of a new skill; the name of a saved one cannot change. */
  name?: { value: string, onValue: (name: string) => void }
  onContent: (content: string) => void
}

/** Shows a skill as a form, as formatted text, or as its source. */
export function SkillForm ({ content, name, onContent }: SkillFormProps) {
  const view = useSignal<'write' | 'read' | 'source'>('write')
  const w = screenWords.value.skills
  const text = readSkill(content)
  const change = (values: Partial<typeof text>): void => onContent(writeSkill(content, { ...text, ...values }))
  return (
    <>
      <Segmented
        label={w.view} chosen={view.value} onChoose={(key) => { view.value = key }}
        choices={[{ key: 'write', text: w.views.write }, { key: 'read', text: w.views.read }, { key: 'source', text: w.views.source }]}
      />
      {view.value === 'write'
        ? (
          <>
            {text.description === null
              ? <p class='skills-note'>{w.inSource}</p>
              : <TextArea
                  label={w.purpose} value={text.description} rows={2} dir='auto' placeholder={w.purposePlaceholder} hint={w.purposeHint}
                  autofocus={name !== undefined} onValue={(description) => change({ description: description.replaceAll('\n', ' ') })}
                />}
            <TextArea
              label={w.how} value={text.body} rows={8} mostRows={18} dir='auto' placeholder={w.howPlaceholder}
              onValue={(body) => onContent(writeSkill(content, { ...text, body }))}
            />
            {name === undefined
              ? null
              : <TextField
                  label={w.name} value={name.value} spellcheck={false} onValue={(value) => name.onValue(value)}
                  hint={name.value.trim() === '' ? undefined : `/${slugOf(name.value)}`}
                />}
          </>)
        : view.value === 'read'
          ? <div class='skill-prose'><p><bdi>{text.description ?? ''}</bdi></p><Markdown text={splitFrontMatter(content).body} headingLevel={3} /></div>
          : <TextArea
              label={w.text} bare rows={14} mostRows={26} value={content} onValue={onContent} spellcheck={false} class='skill-area'
            />}
    </>
  )
}
