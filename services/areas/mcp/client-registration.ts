import { type AuthorizationServerMetadata, type FetchLike } from '@modelcontextprotocol/client'
import { mcpLibrary, type McpTarget } from '../../agent/index.js'
import { Invalid } from '../../ground/errors.js'
import { isOutsideName } from '../../ground/network/guarded-connector.js'
import { isPublicAddress } from '../../ground/network/public-address.js'
import { addressesOf } from '../../ground/network/resolved-addresses.js'

/** The path at which this service describes itself to authorization servers. */
export const mcpClientPath = '/api/mcp/oauth/client.json'
export const mcpCallbackPath = '/api/mcp/oauth/callback'
const clientName = 'Agent web service'

interface McpClient { client_id: string, client_secret?: string | undefined }

const metadataFor = (redirectUri: string) => ({
  client_name: clientName, redirect_uris: [redirectUri], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
  token_endpoint_auth_method: 'none', application_type: new URL(redirectUri).protocol === 'https:' ? 'web' as const : 'native' as const
})

/**
 * Returns the client ID metadata document of this service at an address, which identifies it; null for an address that is not reachable
 * from outside.
 */
export function clientDocument (origin: string): ({ client_id: string } & ReturnType<typeof metadataFor>) | null {
  const { protocol, hostname } = new URL(origin)
  if (protocol !== 'https:' || !isOutsideName(hostname)) return null
  return { client_id: new URL(mcpClientPath, origin).href, ...metadataFor(new URL(mcpCallbackPath, origin).href) }
}

/**
 * Returns the client as which this service signs people in at an authorization server: the one that config.yaml names; otherwise the
 * document that the service serves, if the server supports that and the address is public; otherwise a new registration. Throws Invalid if
 * none of these is possible.
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

/** As far as this machine can tell: whether the name leads only to public addresses. */
async function isReachedFromOutside (origin: string): Promise<boolean> {
  const addresses = await addressesOf(new URL(origin))
  return addresses.length > 0 && addresses.every(isPublicAddress)
}
