import { type AuthorizationServerMetadata, type FetchLike } from '@modelcontextprotocol/client'
import { mcpLibrary, type McpTarget } from '../../agent/index.js'
import { Invalid } from '../../ground/errors.js'
import { isOutsideName } from '../../ground/guarded-connector.js'
import { isPublicAddress } from '../../ground/public-address.js'
import { addressesOf } from '../../ground/resolved-addresses.js'

/** Where this service describes itself to whoever signs people in. */
export const mcpClientPath = '/api/mcp/oauth/client.json'
export const mcpCallbackPath = '/api/mcp/oauth/callback'
const clientName = 'Agent web service'

interface McpClient { client_id: string, client_secret?: string | undefined }

const metadataFor = (redirectUri: string) => ({
  client_name: clientName, redirect_uris: [redirectUri], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
  token_endpoint_auth_method: 'none', application_type: new URL(redirectUri).protocol === 'https:' ? 'web' as const : 'native' as const
})

/** The client ID metadata document of this service at an address, by which it is known; null for an address that nobody outside reaches. */
export function clientDocument (origin: string): ({ client_id: string } & ReturnType<typeof metadataFor>) | null {
  const { protocol, hostname } = new URL(origin)
  if (protocol !== 'https:' || !isOutsideName(hostname)) return null
  return { client_id: new URL(mcpClientPath, origin).href, ...metadataFor(new URL(mcpCallbackPath, origin).href) }
}

/**
 * As whom this service signs people in at an authorization server: as config.yaml says; else by the document that it serves, where the
 * server takes one and the address is a public one; else as it is registered there now. Throws Invalid where none of this can be.
 */
export async function clientFor ({ metadata, oauth, redirectUri, scope, fetchFn }: {
  metadata: AuthorizationServerMetadata
  oauth: Extract<McpTarget, { transport: 'http' }>['oauth']
  redirectUri: string
  scope: { scope?: string }
  fetchFn: FetchLike
}): Promise<McpClient> {
  if (oauth?.clientId != null) {
    return { client_id: oauth.clientId, ...(oauth.clientSecret === null ? {} : { client_secret: oauth.clientSecret }) }
  }
  const { origin } = new URL(redirectUri)
  const document = metadata.client_id_metadata_document_supported === true ? clientDocument(origin) : null
  if (document !== null && await isReachedFromOutside(origin)) return { client_id: document.client_id }
  if (metadata.registration_endpoint === undefined) {
    throw new Invalid(
      'The authorization server of this MCP server registers no clients: register this service there, and set "oauth.client_id"'
    )
  }
  const { registerClient } = await mcpLibrary()
  return await registerClient(metadata.issuer, { metadata, clientMetadata: metadataFor(redirectUri), ...scope, fetchFn })
}

/** As far as this machine can tell: its name leads to public addresses. */
async function isReachedFromOutside (origin: string): Promise<boolean> {
  const addresses = await addressesOf(new URL(origin))
  return addresses.length > 0 && addresses.every(isPublicAddress)
}
