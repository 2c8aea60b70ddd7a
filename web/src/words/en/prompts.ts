export const prompts = {
}
