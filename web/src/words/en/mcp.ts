export const mcp = {
}
