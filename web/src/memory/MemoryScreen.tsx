import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isMasked } from '../core/conversation/masked.js'
import { type Wire } from '../core/service/api.js'
import { Markdown } from '../markdown/Markdown.js'
import { Page } from '../shell/Page.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ResourceState } from '../ui/Loaded.js'
import { Tabs } from '../ui/Tabs.js'
import { screenWords, words } from '../words/index.js'
import { DocumentEditor, Masks } from './DocumentEditor.js'
import { documentOf, sections, type Section } from './documents.js'
import { documents, followMemory } from './memory.js'
import './memory.css'

/** The documents that the agent reads in every chat. */
export function MemoryScreen () {
  useEffect(followMemory, [])
  const chosen = useSignal<Section | 'project'>('memory')
  const w = screenWords.value.memory
  const hasProject = (documents.value.value?.project_context_path ?? '') !== ''
  const section = chosen.value === 'project' && !hasProject ? 'memory' : chosen.value
  return (
    <Page title={words.value.shell.memory}>
      <ResourceState of={documents} lines={8}>
        {(all) => (
          <Tabs
            label={words.value.shell.memory} chosen={section} onChoose={(key) => { chosen.value = key }}
            tabs={[
              ...sections.map((key) => ({ key, text: w.names[key] })),
              ...(hasProject ? [{ key: 'project' as const, text: w.names.project }] : [])
            ]}
          >
            {section === 'project'
              ? <ProjectRules all={all} />
              : <DocumentEditor key={section} section={section} document={documentOf(all, section)} maxBytes={all.max_bytes} />}
          </Tabs>)}
      </ResourceState>
    </Page>
  )
}

/** Shows the instructions of the workspace, which are edited in their files. */
function ProjectRules ({ all }: { all: Wire<'MemoryDocuments'> }) {
  const w = screenWords.value.memory
  return (
    <div class='memory-document'>
      <p class='memory-about'>{w.about.project}</p>
      <p class='memory-path'><bdi>{all.project_context_path}</bdi></p>
      {all.project_context_shadowed.length === 0
        ? null
        : (
          <Disclosure summary={w.shadowed(all.project_context_shadowed.length)}>
            <ul class='memory-shadowed'>{all.project_context_shadowed.map((path) => <li key={path}><bdi>{path}</bdi></li>)}</ul>
          </Disclosure>
          )}
      <Masks isMasked={isMasked(all.project_context)} isChanged={false} />
      <div class='memory-rules'><Markdown text={all.project_context} /></div>
    </div>
  )
}
