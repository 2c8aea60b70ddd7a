import { basename } from 'node:path'
import { type AgentRuntime } from '../../agent/index.js'
import { codeOf, domainMessage } from '../../ground/errors.js'
import { refuseMasks, refuseOwnSecrets } from '../../ground/redaction/index.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { skillFile } from './scan.js'
import { versionOf } from './own-skills.js'
import { refuseFaults } from './specification.js'
import { type Skills } from './skills.js'
import { documentOf } from './wording.js'

interface ToolText { text: string, isError: boolean }

/** How much of a skill a tool's result may contain. */
const mostChars = 100_000

/** A skill that a run has saved. */
export interface SavedByRun { runId: string, sessionId: string, name: string, action: 'created' | 'updated' }

/**
 * Answers requests of runs about skills, because a profile's files belong to the web tier. `saved` is called when a run has saved a skill.
 */
export function answerRuns (skills: Skills, agent: Pick<AgentRuntime, 'serve'>, saved: (what: SavedByRun) => void): void {
  agent.serve('skill_view', async ({ name, file }, { spec: { profile } }) => await said(async () => {
    if (name === null) return await skills.overview(profile)
    const { skill, content, linked } = await skills.read(profile, name)
    if (skill.isDisabled) return { text: `The skill ${skill.name} is switched off by the user. Go on without it.`, isError: true }
    if (file !== null) return cut((await skills.file(profile, name, file)).content)
    skills.note(profile, skill.name, 'view')
    return cut(documentOf(skill, content, linked))
  }))

  agent.serve('skill_text', async ({ name, category, added, whole }, { spec: { profile } }) => {
    try {
      const { place, text } = await skills.spot(profile, name, category)
      refuseOwnSecrets('The skill', [added], text)
      refuseMasks('The skill', added ?? '', text)
      if (whole !== undefined) refuseFaults(whole, text, basename(place))
      return { path: `skills/${place}/${skillFile}`, text, version: versionOf(text) }
    } catch (error) {
      return { problem: problemOf(error) }
    }
  })

  agent.serve('skill_save', async ({ name, category, content, expected }, { spec: { runId, sessionId, profile, attended } }) =>
    await said(async () => {
    // Every later conversation follows skills, so they are not changed without the user's knowledge, whatever has been granted.
      if (!attended) {
        return {
          text: 'Refused: skills are only changed in conversations that the user watches. Say what should be changed instead.', isError: true
        }
      }
      const skill = await skills.save(profile, { name, category, content, expected })
      skills.note(profile, skill.name, 'patch')
      saved({ runId, sessionId, name: skill.name, action: expected === versionOf(null) ? 'created' : 'updated' })
      return `Saved the skill ${skill.name} (skills/${skill.path}).`
    }))
}

async function said (work: () => Promise<string | ToolText>): Promise<ToolText> {
  try {
    const text = await work()
    return typeof text === 'string' ? { text, isError: false } : text
  } catch (error) {
    return { text: problemOf(error), isError: true }
  }
}

function problemOf (error: unknown): string {
  return codeOf(error) === 'changed' ? 'The skill was changed since it was read. View it again and save anew.' : domainMessage(error)
}

function cut (text: string): string {
  return text.length <= mostChars
    ? text
    : `${wholeTo(text, mostChars)}\n[… ${text.length - mostChars} more characters are not shown …]`
}
