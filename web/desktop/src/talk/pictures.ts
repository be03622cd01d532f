/** Images for a message: loaded, and scaled down where they would exceed the request limit. */
import type { Attachment } from "./files.ts";
import { PICTURE_KINDS } from "./files.ts";
import { newKey } from "../store/key.ts";
import { texts } from "../languages/talk.ts";

/** The sizes of the longer side to try; models use no more than the first. */
const SIDES = [2_048, 1_568, 1_024, 768, 512];
const QUALITY = 0.85;
/** Smaller images are sent unchanged. */
const SMALL = 280_000;

/** Whether a file is an image of a supported type. */
export function isPicture(file: File): boolean {
  return PICTURE_KINDS.includes(file.type);
}

/** Loads an image, with at most `limit` characters in base64. */
export async function readPicture(file: File, limit: number): Promise<Attachment> {
  const name = file.name || texts().picture;
  const asIs = await base64(file);
  if (asIs.length <= Math.min(limit, SMALL)) return picture(name, file.type, asIs);
  if (file.type !== "image/gif") {
    for (const side of SIDES) {
      const data = await smaller(file, side);
      if (data !== undefined && data.length <= limit) return picture(name, "image/jpeg", data);
    }
  }
  if (asIs.length <= limit) return picture(name, file.type, asIs);
  throw new Error(texts().doesNotFitInto(name));
}

function picture(name: string, kind: string, data: string): Attachment {
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
    // Transparent pixels would become black in a JPEG.
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
    reader.onerror = () => reject(new Error(texts().theImageCannotBe));
    reader.readAsDataURL(blob);
  });
}
