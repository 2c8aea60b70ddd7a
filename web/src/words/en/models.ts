export const models = {
}
