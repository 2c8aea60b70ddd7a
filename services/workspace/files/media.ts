import { readlink } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { LinkLoop, realPath, within } from '../../ground/files/containment.js'
import { Forbidden, Invalid, NotFound } from '../../ground/errors.js'
import { attachmentFolder } from '../place/attachments.js'
import { type Workspaces } from '../workspace-list.js'
import { mediaKind, typeOf } from './mime.js'
import { openFile, type OpenedFile, type Territory } from '../place/place.js'
import { openAttachment } from './raw.js'
import { type Territories } from '../place/territories.js'

export interface MediaOptions {
  hasSession: (sessionId: string) => boolean
  /** Whether the agent names exactly this path in the conversation. */
  isMentioned: (sessionId: string, path: string) => boolean
  territories: Pick<Territories, 'reading'>
  workspaces: Pick<Workspaces, 'last'>
  stateDir: string
  /** Homes of all profiles, the service's own first. */
  homes: () => string[]
  homeOf: (profile: string) => string | undefined
  /** Folders that the operator has opened. */
  roots: string[]
}

/** Places in an agent's home that are never shown. */
const closedInHomes = [
  'sessions', 'memories', 'cron', 'logs', 'checkpoints', 'backups', 'media_snapshots', 'webui_state', 'profiles/.deleted'
]
const secretNames = new Set(['settings.json', 'auth.json', 'config.yaml', '.signing_key', '.pbkdf2_key', '.sessions.json', 'jobs.json', 'passkeys.json',
  '.passkey_challenges.json', '.login_attempts.json', 'gateway_state.json', 'channel_directory.json', '.netrc', '.npmrc', '.pgpass', '.git-credentials', 'credentials'])
const secretPatterns = [
  /^\.env(?:\..*)?$/, /^state\.db/, /^service\.db/, /(?:^|[._-])(?:api_?key|secret|token|credential)s?(?:\.(?:json|txt|ya?ml))?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/, /\.(?:pem|key|p12|pfx)$/
]
const temporaryFolder = '/tmp'

/** Files that are shown in conversations, wherever the agent has put them. */
export function createMedia ({ hasSession, isMentioned, territories, workspaces, stateDir, homes, homeOf, roots }: MediaOptions) {
  function closedPlaces (): string[] {
    return [stateDir, ...homes().flatMap((home) => [join(home, '.env'), ...closedInHomes.map((name) => join(home, name))])].map(realPath)
  }

  /**
   * Returns the folders in which everything that is not closed may be shown. `isProject`: files there
   * are a person's work, so they may be shown whatever they are called.
   */
  async function openFolders (
    profile: string, sessionId: string | undefined
  ): Promise<Array<{ root: string, isWorkspace: boolean, isProject: boolean }>> {
    const realHomes = homes().map(realPath)
    const projects = [workspaces.last(profile)]
    if (sessionId !== undefined) projects.push(...await territories.reading(sessionId).then(({ root }) => [root], noFolder))
    const isProject = (root: string): boolean => !realHomes.some((home) => within(root, home))
    return [
      ...projects.map(realPath).map((root) => ({ root, isWorkspace: true, isProject: isProject(root) })),
      ...[homes()[0] ?? [], homeOf(profile) ?? [], temporaryFolder, ...roots].flat().map(realPath).map((root) => ({
        root, isWorkspace: false, isProject: false
      }))
    ]
  }

  return {
    /**
     * Opens a file by its absolute path. Allowed are the session's attachments, its workspace and the one last used, the profile's home,
     * the folder for temporary files, and what the operator has opened; elsewhere only images, audio, video, PDF and HTML that the agent
     * itself names in the conversation. With `isNarrow`, only attachments and workspaces are allowed. The service's state and secrets never
     * are. The caller closes the handle. Throws Forbidden for everything else, even if it does not exist; NotFound within what is allowed;
     * Invalid.
     */
    async open (
      path: string, { profile, sessionId, isNarrow = false }: { profile: string, sessionId?: string, isNarrow?: boolean }
    ): Promise<OpenedFile> {
      if (!isAbsolute(path) || path.includes('\0')) throw new Invalid('The path must be absolute')
      const real = resolved(path)
      if (sessionId !== undefined && hasSession(sessionId)) {
        const attachments = attachmentFolder(stateDir, sessionId)
        if (within(realPath(attachments), real)) return await openAttachment(attachments, real)
      }
      const closed = closedPlaces()
      if (closed.some((place) => within(place, real))) throw denied()
      const candidates = (await openFolders(profile, sessionId)).filter(({ root, isWorkspace }) =>
        within(root, real) && (isWorkspace || !isNarrow))
      const isProject = candidates.some((candidate) => candidate.isProject)
      // A project's folder comes first, because names of secrets do not matter there.
      const root = candidates.toSorted((one, other) => Number(other.isProject) - Number(one.isProject))[0]?.root ??
        (!isNarrow && sessionId !== undefined && isMedia(path) && isMedia(real) && isMentioned(sessionId, path) ? dirname(real) : null)
      if (root === null || (!isProject && isSecret(real))) throw denied()
      return await openedAt({ root, closed }, real, isProject)
    }
  }
}

async function openedAt (territory: Territory, real: string, isProject: boolean): Promise<OpenedFile> {
  const opened = await openFile(territory, real)
  // Another file may have replaced it since its name was checked.
  const name = await readlink(`/proc/self/fd/${opened.handle.fd}`).catch(() => opened.real)
  if (isProject || !isSecret(name)) return opened
  await opened.handle.close()
  throw denied()
}

function resolved (path: string): string {
  try {
    return realPath(path)
  } catch (error) {
    if (error instanceof LinkLoop) throw denied()
    throw error
  }
}

const denied = (): Forbidden => new Forbidden('This file may not be shown')

const isMedia = (path: string): boolean => mediaKind(typeOf(path)) !== 'other'

function isSecret (path: string): boolean {
  const name = basename(path).toLowerCase()
  return secretNames.has(name) || secretPatterns.some((pattern) => pattern.test(name))
}

function noFolder (error: unknown): string[] {
  if (error instanceof NotFound) return []
  throw error
}
