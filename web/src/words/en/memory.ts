export const memory = {
}
