export const palette = {
}
