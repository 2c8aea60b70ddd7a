import { useSignal } from '@preact/signals'
import { type ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { type Resource } from '../core/service/resource.js'
import { CreateButton, Page } from '../shell/Page.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { TextField } from '../ui/Field.js'
import { BookOpen, Ellipsis } from '../ui/icons.js'
import { ResourceState } from '../ui/Loaded.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { Tabs } from '../ui/Tabs.js'
import { screenWords, words } from '../words/index.js'
import { textNamed } from '../words/text-named.js'
import { groupSkills, searchSkills, skeletonOf, type Skill } from './catalog.js'
import { Bundles, Commands } from './Commands.js'
import { ImportSkills } from './ImportSkills.js'
import { NewSkill, type Draft } from './NewSkill.js'
import { sayDescription } from './say-description.js'
import { SkillDialog } from './SkillDialog.js'
import { SkillRow } from './SkillRow.js'
import { bundles, commands, downloadSkills, followSkills, skills } from './skills.js'
import './skills.css'

/** Lists the skills, bundles and commands. */
export function SkillsScreen () {
  useEffect(followSkills, [])
  const tab = useSignal<'skills' | 'bundles' | 'commands'>('skills')
  const opened = useSignal<string | null>(null)
  const draft = useSignal<Draft | null>(null)
  const isImporting = useSignal(false)
  const w = screenWords.value.skills
  const create = (): void => { draft.value = { name: '', category: '', content: skeletonOf('', '', '') } }
  const example = (): void => {
    draft.value = { name: w.example.name, category: '', content: skeletonOf(w.example.name, w.example.description, w.example.body) }
  }
  return (
    <Page
      title={words.value.shell.skills}
      actions={(
        <>
          <Menu label={w.more} icon={Ellipsis} items={() => more({ onImport: () => { isImporting.value = true } })} />
          <CreateButton text={w.create} onClick={create} />
        </>
      )}
    >
      <Tabs
        label={words.value.shell.skills} chosen={tab.value} onChoose={(key) => { tab.value = key }}
        tabs={[
          { key: 'skills', text: words.value.shell.skills, count: skills.value.value?.length ?? 0 },
          { key: 'bundles', text: w.bundles, count: bundles.value.value?.length ?? 0 },
          { key: 'commands', text: w.commands, count: commands.value.value?.length ?? 0 }
        ]}
      >
        {tab.value === 'skills' ? <List onOpen={(name) => { opened.value = name }} onExample={example} /> : null}
        {tab.value === 'bundles' ? <Read of={bundles}>{(list) => <Bundles bundles={list} />}</Read> : null}
        {tab.value === 'commands' ? <Read of={commands}>{(list) => <Commands commands={list} />}</Read> : null}
      </Tabs>
      {opened.value === null
        ? null
        : <SkillDialog
            key={opened.value} name={opened.value}
            onClose={() => { opened.value = null }}
            onCopy={(copy) => { opened.value = null; draft.value = copy }}
          />}
      {isImporting.value ? <ImportSkills onClose={() => { isImporting.value = false }} /> : null}
      {draft.value === null
        ? null
        : <NewSkill
            first={draft.value}
            onClose={() => { draft.value = null }}
            onSaved={(name) => { draft.value = null; opened.value = name }}
          />}
    </Page>
  )
}

function more ({ onImport }: { onImport: () => void }): MenuEntry[] {
  const w = screenWords.value.skills
  const own = (skills.value.peek() ?? []).filter(({ origin }) => origin === 'profile').map(({ name }) => name)
  return [
    { text: w.importButton, onPick: onImport },
    ...own.length === 0 ? [] : [{ text: w.exportOwn(own.length), onPick: () => downloadSkills(own) }]
  ]
}

function Read<Value> ({ of, children }: { of: Resource<Value>, children: (value: Value) => ComponentChildren }) {
  return <div class='skills-tab'><ResourceState of={of} lines={6}>{children}</ResourceState></div>
}

function List ({ onOpen, onExample }: { onOpen: (name: string) => void, onExample: () => void }) {
  const sought = useSignal('')
  const w = screenWords.value.skills
  return (
    <Read of={skills}>
      {(all) => {
        if (all.length === 0) {
          return (
            <EmptyState icon={BookOpen} title={w.empty} actions={<Button onClick={onExample}>{w.exampleButton(w.example.name)}</Button>}>
              {w.emptyText}
            </EmptyState>
          )
        }
        const shown = ({ description, category }: Skill): string[] => [sayDescription(description), textNamed(w.categories, category)]
        const found = searchSkills(all, sought.value, shown)
        return (
          <>
            <TextField
              label={w.search} bare type='search' placeholder={w.search} value={sought.value}
              onValue={(text) => { sought.value = text }}
            />
            {all.some(({ origin }) => origin === 'profile')
              ? null
              : <p class='skills-own'>{w.noOwn} <Button size='small' onClick={onExample}>{w.exampleButton(w.example.name)}</Button></p>}
            {found.length === 0 ? <p class='skills-note' role='status'>{w.noMatch}</p> : null}
            {groupSkills(found).map(({ name, skills: of }) => (
              <section key={name} class='skills-group' aria-label={name === '' ? words.value.shell.skills : textNamed(w.categories, name)}>
                {name === '' ? null : <h2 class='skills-category'><bdi>{textNamed(w.categories, name)}</bdi></h2>}
                <ul class='skills-list'>
                  {of.map((skill) => <SkillRow key={skill.name} skill={skill} onOpen={() => onOpen(skill.name)} />)}
                </ul>
              </section>
            ))}
          </>
        )
      }}
    </Read>
  )
}
