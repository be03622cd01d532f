/** Pictures for a message: read, and made smaller where they would not fit into a request. */
import type { Attached } from "./files.ts";
import { PICTURE_KINDS } from "./files.ts";
import { newKey } from "../house/key.ts";

/** Longer sides are tried in this order; models look at no more than the first. */
const SIDES = [2_048, 1_568, 1_024, 768, 512];
const QUALITY = 0.85;
/** A picture that is smaller is sent as it is. */
const SMALL = 280_000;

/** Whether a file is a picture that is understood. */
export function isPicture(file: File): boolean {
  return PICTURE_KINDS.includes(file.type);
}

/** Reads a picture so that it has no more than so many characters in base64. */
export async function readPicture(file: File, room: number): Promise<Attached> {
  const name = file.name || "picture";
  const asIs = await base64(file);
  if (asIs.length <= Math.min(room, SMALL)) return picture(name, file.type, asIs);
  if (file.type !== "image/gif") {
    for (const side of SIDES) {
      const data = await smaller(file, side);
      if (data !== undefined && data.length <= room) return picture(name, "image/jpeg", data);
    }
  }
  if (asIs.length <= room) return picture(name, file.type, asIs);
  throw new Error(`There is no room for ${name} in this message. Send it in one of its own, or make it smaller.`);
}

function picture(name: string, kind: string, data: string): Attached {
  return { kind: "picture", id: newKey(), name, image: { media_type: kind, data } };
}

async function smaller(file: File, side: number): Promise<string | undefined> {
  const bitmap = await createImageBitmap(file);
  try {
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const context = canvas.getContext("2d");
    if (!context) return undefined;
    // What is see-through would be black in a JPEG.
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
    return blob ? await base64(blob) : undefined;
  } finally {
    bitmap.close();
  }
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = typeof reader.result === "string" ? reader.result : "";
      resolve(address.slice(address.indexOf(",") + 1));
    };
    reader.onerror = () => reject(new Error("The picture cannot be read. Save it again and attach that."));
    reader.readAsDataURL(blob);
  });
}
